import type { JSHandle, Page } from 'playwright-core'
import { PageRunProblem } from './host-messages.ts'

/** What the call in the page returns: the text of the result, or why there is none. */
interface CallResult {
  readonly text?: string
  readonly threw?: string
  readonly not_json?: string
}

const MAX_MESSAGE = 800

/**
 * Calls the script in the main world of the page and returns its result as JSON text. The text stays in the page until its
 * length is known to be allowed.
 */
export async function callScript(
  page: Page,
  script: string,
  args: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Promise<string> {
  const handle = (await page.evaluateHandle(buildCall(script, args))) as JSHandle<CallResult>
  const { length, threw, notJson } = await handle.evaluate((result) => ({
    length: typeof result.text === 'string' ? result.text.length : -1,
    threw: result.threw,
    notJson: result.not_json,
  }))
  if (threw !== undefined) throw new PageRunProblem('SCENE_SCRIPT_THREW', clip(threw))
  if (length < 0) throw new PageRunProblem('SCENE_RESULT_NOT_JSON', clip(notJson ?? 'The script returned no value.'))
  if (length > maxBytes) throw tooLarge(maxBytes)
  const text = await handle.evaluate((result) => result.text)
  if (typeof text !== 'string') throw new PageRunProblem('SCENE_RESULT_NOT_JSON', 'The result is no text.')
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(maxBytes)
  return text
}

/**
 * The script is the beginning of the body of a function, so that the page does not see its names and a second call
 * defines them again. It is on lines of its own, because it may end with a comment.
 */
const buildCall = (script: string, args: Readonly<Record<string, unknown>>): string =>
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
    return typeof value === 'object' && value !== null && typeof text === 'string'
      ? { text } : { not_json: 'The script returned ' + (value === null ? 'null' : typeof value) + ' instead of a report.' }
  } catch (error) { return { not_json: describe(error) } }
})(${JSON.stringify(args)})`

const tooLarge = (maxBytes: number): PageRunProblem =>
  new PageRunProblem('SCENE_RESULT_TOO_LARGE', `The result is larger than ${maxBytes} bytes of JSON.`)

/** Only the lines that name the error. The rest is the position in the wrapped script. */
const clip = (message: string): string => (message.split('\n    at ')[0] ?? message).slice(0, MAX_MESSAGE)
