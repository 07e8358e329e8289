/**
 * Names of campaigns and ids of items: valid as a folder on every system, without colons (workflow ids), quotes
 * (queries) or control codes.
 */
export const NAME = /^(?!\.)[A-Za-z0-9._-]{1,64}$/;
