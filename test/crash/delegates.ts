/** An object that behaves like another one, except for the given overrides. */
export function over<T extends object>(real: T, own: Partial<T>): T {
  return new Proxy(real, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
      const member = Reflect.get(target, name) as unknown;
      // Private fields exist only on the real one.
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
