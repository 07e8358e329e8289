/** Something that does as another thing does, but for what is put over it. */
export function over<T extends object>(real: T, own: Partial<T>): T {
  return new Proxy(real, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
      const member = Reflect.get(target, name) as unknown;
      // Private fields are found on the real one alone.
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
