/** How the local services are known and spoken to. Apart from what runs them, which takes its time to load. */
import { describeService, type Environment, type ServiceSettings } from '../config/settings.ts';
import { Secret } from '../config/secret.ts';

/** No secret: the services listen on this machine only. Ten characters, as the molecule service wants. */
const LOCAL_TOKEN = 'local-user';

/** The address of the local services, whatever their port. */
export const LOCAL_ADDRESS = 'local';

/** The settings alone, before anything runs: the address is `local`, whatever the port turns out to be. */
export function localSettings(
  environment: Environment,
  url = 'http://127.0.0.1',
): ServiceSettings[] {
  const token = (variable: string) => new Secret(environment[variable] ?? LOCAL_TOKEN);
  const address = LOCAL_ADDRESS;
  return [
    describeService('molecules', `${url}/acpype`, token('HUNDREDFOLD_MOLECULE_TOKEN'), { address }),
    describeService('predictions', url, token('HUNDREDFOLD_PREDICTION_TOKEN'), { address }),
  ];
}
