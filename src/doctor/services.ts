/** What `doctor` reports about a service: whether its address works, which user the token belongs to, the limits. */
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import { formatDuration } from '../domain/duration.ts';
import type { ErrorCode } from '../domain/error-codes/registry.ts';
import type { Recognition } from '../services/recognise.ts';
import { serviceOf } from '../services/registry.ts';
import { usedLocals } from '../host/local-settings.ts';
import { problem, type Finding } from './finding.ts';
import { adviceFor } from '../campaigns/standstill.ts';
import type { ServiceName } from '../domain/item.ts';
import { recogniseService, remedyOf } from '../campaigns/recognise-services.ts';

/** The code with which `run` refuses it. */
export const WRONG_ADDRESS = 'SERVICE_URL_WRONG' satisfies ErrorCode;

type Site = ServiceSettings | UnreadyService;

/** @param local the local services are requested */
export async function serviceFindings(settings: Settings, local: boolean): Promise<Finding[]> {
  const configured = [...Object.values(settings.services), ...settings.unready];
  if (configured.length > 0) return Promise.all(configured.map(serviceFinding));
  if (local || usedLocals(settings.embeddedDir).length > 0) {
    return [{ check: 'services', ok: true, found: 'the local ones (--services local)' }];
  }
  const remedy = 'Use --services local, or name them under services: (docs/configuration.md).';
  return [{ check: 'services', ok: false, found: 'none configured', remedy }];
}

export async function serviceFinding(site: Site): Promise<Finding> {
  const check = `service ${site.reference.service}`;
  const { address } = site.reference;
  if (site.network === null) {
    const found = `${address} was not checked, because the configuration of the service is incomplete`;
    return { check, ok: false, found, remedy: remedyOfReason(site) };
  }
  try {
    return { check, ...found(site, await recogniseService(site, site.network)) };
  } catch (error) {
    return problem(check, error);
  }
}

function remedyOfReason(site: Site): string {
  return 'reason' in site ? site.reason.remedy : '';
}

function found(site: Site, recognition: Recognition): Omit<Finding, 'check'> {
  const { service, address } = site.reference;
  const key = `services.${service}.url`;
  switch (recognition.type) {
    case 'right':
      return {
        ok: true,
        found: `${address} is ${serviceOf(service).title}, ${standing(site)}`,
      };
    case 'away': {
      const proxy = site.network?.proxy;
      const also = proxy ? ` the proxy ${proxy.name} (HTTPS_PROXY, HTTP_PROXY, NO_PROXY),` : '';
      const remedy = `Check${also} ${key}, and that the service is up.`;
      return { ok: false, found: `${address} does not answer: ${recognition.message}`, remedy };
    }
    case 'refused': {
      const remedy = remedyOfRefusal(service, recognition.message);
      return { ok: false, found: `${address} refuses access: ${recognition.message}`, remedy };
    }
    case 'unclear': {
      const remedy = `Check ${key}. If it is a login or maintenance page, wait; nothing is sent to it.`;
      const said = `${address} answers, but not as ${serviceOf(service).title}: ${recognition.message}`;
      return { ok: false, found: said, remedy };
    }
    case 'wrong': {
      const remedy = remedyOf(site, recognition);
      return { ok: false, code: WRONG_ADDRESS, found: recognition.message, remedy };
    }
  }
}

/** The check sends no token, so a login is requested by something in front of the service. */
function remedyOfRefusal(service: ServiceName, message: string): string {
  const login = `services.${service}.basic and .headers are for the login of a gateway in front of the service.`;
  return /HTTP 401/.test(message)
    ? `Ask the operators how to authenticate: ${login}`
    : `${adviceFor(message)}${/HTTP 403/.test(message) ? ` If they require a login: ${login}` : ''}`;
}

function standing({ reference, policy, network }: Site): string {
  const known = 'credential' in reference ? `credential ${reference.credential}` : 'no token here';
  const windows = policy.windows.map(
    ({ limit, windowMs }) => `${limit} in ${formatDuration(windowMs)}`,
  );
  const budget = windows.length === 0 ? 'no limit' : windows.join(' and ');
  const proxy = network?.proxy ? `, through the proxy ${network.proxy.name}` : '';
  return `${known}, ${budget}${proxy}`;
}
