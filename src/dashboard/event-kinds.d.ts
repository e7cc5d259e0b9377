/** The daemon makes this module from its own list of events. */
export declare const eventKinds: readonly string[]
