/** What is often known at once and sometimes has to be waited for. */
export type Eventually<T> = T | Promise<T>

/** Goes on without a turn where nothing has to be waited for: most commands are done as they begin. */
export function after<T, R>(
  value: Eventually<T>,
  goOn: (value: T) => Eventually<R>,
): Eventually<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}
