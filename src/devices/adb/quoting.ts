import { OperationFailure } from './operation-failure.ts'

/**
 * The one way a value enters a device command line. `adb shell` hands the device's shell a string, so
 * whatever is not quoted here would be parsed, and could be executed, there.
 */
export function quote(value: string | number): string {
  const text = sendable(String(value))
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** One command line: the program and its arguments, each quoted. */
export function command(program: string, ...args: readonly (string | number)[]): string {
  return [program, ...args].map(quote).join(' ')
}

/** Refuses what cannot arrive as it is; everything else can. */
export function sendable(text: string): string {
  if (text.includes('\0')) throw invalid('text for a device cannot hold a NUL character')
  // Half of a surrogate pair has no UTF-8 form: it would arrive as a different character.
  if (/\p{Surrogate}/u.test(text)) throw invalid('text for a device must be well-formed Unicode')
  return text
}

/** Words no shell gives a meaning to. Left bare so that command lines stay readable in logs. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+:,./-]+$/

/** A package name as Android accepts it. */
export function packageName(value: string): string {
  if (value.length > 255 || !/^[A-Za-z]\w*(\.\w+)+$/.test(value)) {
    throw invalid('not an Android package name', value)
  }
  return value
}

/** An integer within bounds, e.g. a coordinate: a fraction makes `input` reject the whole call. */
export function integer(name: string, value: number, max = 100_000): number {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw invalid(`${name} must be an integer between 0 and ${max}`, String(value))
  }
  return value
}

function invalid(message: string, detail?: string): OperationFailure {
  return new OperationFailure('INVALID_ARGUMENT', message, detail)
}
