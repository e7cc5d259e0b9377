import { OperationFailure } from './operation-failure.ts'

/**
 * Quotes a value for a device command line. `adb shell` passes one string to the shell of the device, so
 * every value must be quoted here; otherwise the shell would parse and could execute it.
 */
export function quoteArgument(value: string | number): string {
  const text = requireSendable(String(value))
  return PLAIN_ARGUMENT.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Builds a command line from a program and its arguments, each quoted. */
export function buildCommand(program: string, ...args: readonly (string | number)[]): string {
  return [program, ...args].map(quoteArgument).join(' ')
}

/** Throws if the text cannot be sent unchanged. */
export function requireSendable(text: string): string {
  if (text.includes('\0')) throw toInvalidArgument('text for a device must not contain a NUL character')
  // Half of a surrogate pair has no UTF-8 form and would arrive as another character.
  if (/\p{Surrogate}/u.test(text)) throw toInvalidArgument('text for a device must be well-formed Unicode')
  return text
}

/** Text without special characters. Not quoted, so that command lines stay readable in logs. */
const PLAIN_ARGUMENT = /^[A-Za-z0-9_@%+:,./-]+$/

/** Throws if the value is not a valid Android package name. */
export function requirePackageName(value: string): string {
  if (value.length > 255 || !/^[A-Za-z]\w*(\.\w+)+$/.test(value)) {
    throw toInvalidArgument('not an Android package name', value)
  }
  return value
}

/** Throws if the value is not an integer between 0 and `max`. `input` rejects fractions. */
export function requireInteger(name: string, value: number, max = 100_000): number {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw toInvalidArgument(`${name} must be an integer between 0 and ${max}`, String(value))
  }
  return value
}

function toInvalidArgument(message: string, detail?: string): OperationFailure {
  return new OperationFailure('INVALID_ARGUMENT', message, detail)
}
