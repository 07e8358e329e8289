/** What a use case reports while it works. Its caller decides where that appears: on stderr, or as an event. */

/** Takes one line of text for people. */
export type OnNotice = (text: string) => void;

export const ignoreNotices: OnNotice = () => undefined;
