/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** Calls `transform` with the value. Calls it synchronously unless the value is a promise. */
export function chain<T, R>(value: MaybePromise<T>, transform: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(transform) : transform(value)
}
