import type { Page } from 'playwright-core'
import { PageRunProblem } from './host-messages.ts'

/** What the call in the page returns: the text of the result, its length if it is too long, or why there is none. */
interface CallResult {
  readonly text?: string
  readonly length?: number
  readonly threw?: string
  readonly not_json?: string
}

const MAX_MESSAGE = 800

/** Calls the script in the main world of the page and returns its result as JSON text. A longer text stays in the page. */
export async function callScript(
  page: Page,
  script: string,
  args: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Promise<string> {
  const { text, length, threw, not_json } = await page.evaluate<CallResult>(buildCall(script, args, maxBytes))
  if (threw !== undefined) throw new PageRunProblem('SCENE_SCRIPT_THREW', clip(threw))
  if (length !== undefined) throw tooLarge(maxBytes)
  if (text === undefined) {
    throw new PageRunProblem('SCENE_RESULT_NOT_JSON', clip(not_json ?? 'The script returned no value.'))
  }
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(maxBytes)
  return text
}

/**
 * The script is the beginning of the body of a function, so that the page does not see its names and a second call
 * defines them again. It is on lines of its own, because it may end with a comment.
 */
const buildCall = (script: string, args: Readonly<Record<string, unknown>>, maxLength: number): string =>
  `(async (args) => {
  const stringify = JSON.stringify
  const describe = (error) => { try { return String((error && error.stack) || error).slice(0, 2000) } catch { return 'unknown' } }
  let value
  try {
    value = await (async (args) => {
${script}
;return await collect(args) })(args)
  } catch (error) { return { threw: describe(error) } }
  try {
    const text = stringify(value)
    if (typeof text === 'string' && text.length > ${maxLength}) return { length: text.length }
    return typeof value === 'object' && value !== null && typeof text === 'string'
      ? { text } : { not_json: 'The script returned ' + (value === null ? 'null' : typeof value) + ' instead of a report.' }
  } catch (error) {
    const message = describe(error)
    // No text can be so long.
    return message.includes('RangeError: Invalid string length') ? { length: ${maxLength} + 1 } : { not_json: message }
  }
})(${JSON.stringify(args)})`

const tooLarge = (maxBytes: number): PageRunProblem =>
  new PageRunProblem('SCENE_RESULT_TOO_LARGE', `The result is larger than ${maxBytes} bytes of JSON.`)

/** Only the lines that name the error. The rest is the position in the wrapped script. */
const clip = (message: string): string => (message.split('\n    at ')[0] ?? message).slice(0, MAX_MESSAGE)
