/** Configuration keys for the network between this machine and a service, and for the contact in requests. */
import { z } from 'zod';
import { flag, secretSource } from './schema-values.ts';

/** Headers of the message itself, and those that the program sets; a gateway does not need them. */
const OWN_HEADERS =
  'accept-encoding|connection|content-length|content-type|host|keep-alive|proxy-authorization|te|trailer|transfer-encoding|upgrade|user-agent|x-service-token';
const anyCase = (words: string): string =>
  words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** The only TLS setting that an HTTP client needs. */
export const caOnly = z.strictObject({
  ca: z.string().meta({
    description: 'PEM file of CAs that are trusted in addition to those of the system.',
    examples: ['certs/ca.pem'],
  }),
});

export const allowHttp = flag.meta({
  description:
    'Allows sending the token unencrypted to an `http` address of another machine. Only for networks that you trust.',
  default: false,
});

/** Network settings between this machine and a service. */
export const network = {
  allowHttp,
  tls: caOnly.meta({ description: 'TLS to the service, and to an https proxy.' }),
  basic: z
    .strictObject({
      user: z
        .string()
        .regex(/^[\x20-\x39\x3b-\x7e]+$/)
        .meta({ description: 'The user name, without a colon.', examples: ['lab'] }),
      password: secretSource.meta({
        description: 'Source of the password.',
        examples: [{ env: 'GATEWAY_PASSWORD' }],
      }),
    })
    .meta({ description: 'HTTP Basic login of a gateway in front of the service.' }),
  headers: z
    .record(
      z
        .string()
        .regex(new RegExp(`^(?!(?:${anyCase(OWN_HEADERS)})$)[!#$%&'*+.^_\`|~0-9A-Za-z-]+$`)),
      secretSource,
    )
    .meta({
      description: 'Further headers of each request, for a gateway in front of the service.',
      examples: [{ 'X-Gateway-Key': { env: 'GATEWAY_KEY' } }],
    }),
};
export const NETWORK_IS_OPTIONAL = {
  allowHttp: true,
  tls: true,
  basic: true,
  headers: true,
} as const;

/** It becomes part of the User-Agent: a closing parenthesis would end the HTTP comment. */
export const contact = z
  .string()
  .regex(/^(?=[\x21-\x27\x2a-\x5b\x5d-\x7e]{1,200}$)(?:[^@\s]+@[^@\s]+|https?:\/\/.+)$/)
  .meta({
    description:
      'An e-mail address or a URL, at most 200 characters. It is sent in the User-Agent header, for the operators of the services.',
    examples: ['you@example.org'],
  });
