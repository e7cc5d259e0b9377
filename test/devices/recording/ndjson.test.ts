import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortEvents, parseNdjson, formatNdjson } from '../../../src/devices/recording/ndjson.ts'
import { RecordingFailure } from '../../../src/devices/recording/recording-failure.ts'
import { anyRecording, header } from './recordings.ts'

const HEAD = JSON.stringify(header)
const CLICK = {
  ts: 5,
  seq: 0,
  type: 'click',
  packageName: 'com.a',
  resourceId: null,
  text: 'Save',
  contentDesc: null,
  bounds: { left: 0, top: 0, right: 10, bottom: 10 },
}

function parseFailure(text: string): RecordingFailure {
  try {
    parseNdjson(text)
  } catch (error) {
    expect(error).toBeInstanceOf(RecordingFailure)
    return error as RecordingFailure
  }
  return expect.fail('the recording was parsed')
}

test('a formatted recording parses to the same recording', () => {
  fc.assert(
    fc.property(anyRecording, (recording) => {
      expect(parseNdjson(formatNdjson(recording))).toEqual(recording)
    }),
  )
})

test('blank lines, spaces and CRLF are ignored', () => {
  const text = `\n  ${HEAD}\r\n\r\n\t${JSON.stringify(CLICK)}  \r\n \n`
  expect(parseNdjson(text)).toEqual({ header, events: [CLICK] })
})

test('a file with only a header is a recording without events', () => {
  expect(parseNdjson(HEAD)).toEqual({ header, events: [] })
})

test('unknown keys of the header are ignored', () => {
  expect(parseNdjson(JSON.stringify({ ...header, colour: 'red' })).header).toEqual(header)
})

test.each([
  ['', 'Empty recording file', undefined],
  [' \n\t\r\n', 'Empty recording file', undefined],
  ['{"type":"click"}', 'Missing or invalid recording header', 1],
  [JSON.stringify({ ...header, startedAt: '5' }), 'Missing or invalid recording header', 1],
  ['null', 'Missing or invalid recording header', 1],
  ['{', 'Malformed NDJSON at line 1', 1],
  [`${HEAD}\n\n{]`, 'Malformed NDJSON at line 2', 2],
  [`${HEAD}\n${JSON.stringify(CLICK)}\n\n[]`, 'Invalid event at line 3: missing required fields (ts, seq, type)', 3],
  [
    `${HEAD}\n{"ts":1e999,"seq":0,"type":"click"}`,
    'Invalid event at line 2: missing required fields (ts, seq, type)',
    2,
  ],
  [`${HEAD}\n{"ts":1,"seq":0,"type":"pinch"}`, 'Unknown event type at line 2: pinch', 2],
  [`${HEAD}\n{"ts":1,"seq":0,"type":"constructor"}`, 'Unknown event type at line 2: constructor', 2],
  [
    `${HEAD}\n{"ts":1,"seq":0,"type":"press_key","key":"home"}`,
    'Invalid press_key event at line 2: missing or invalid key',
    2,
  ],
  [
    `${HEAD}\n${JSON.stringify({ ...CLICK, bounds: { left: 1, top: 1, right: 1 } })}`,
    'Invalid click event at line 2: missing or invalid bounds.bottom',
    2,
  ],
  [
    `${HEAD}\n${JSON.stringify({ ...CLICK, text: undefined })}`,
    'Invalid click event at line 2: missing or invalid text',
    2,
  ],
  [
    `${HEAD}\n{"ts":1,"seq":0,"type":"text_change","packageName":"a","resourceId":null}`,
    'Invalid text_change event at line 2: missing or invalid text',
    2,
  ],
])('%j is refused: %s', (text, message, line) => {
  expect(parseFailure(text)).toMatchObject({ code: 'RECORDING_PARSE_FAILED', message, line })
})

test('an unsupported format version is refused with its number', () => {
  expect(parseFailure(JSON.stringify({ ...header, schemaVersion: 2 }))).toMatchObject({
    code: 'RECORDING_SCHEMA_VERSION_UNSUPPORTED',
    message: 'Unsupported recording schema version: 2',
  })
})

test('any text is parsed or refused with its first bad line', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.constantFrom('', ' ', HEAD, JSON.stringify(CLICK), '{"ts":1,"seq":1,"type":"x"}'),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const text = lines.join('\n')
      const whole = text
        .split('\n')
        .map((one) => one.trim())
        .filter((one) => one !== '')
      const bad = whole.findIndex((one, index) => !isGood(one, index))
      if (bad === -1 && whole.length > 0) {
        expect(parseNdjson(text).events).toHaveLength(whole.length - 1)
        return
      }
      const failure = parseFailure(text)
      expect(failure.line).toBe(whole.length === 0 ? undefined : bad + 1)
      if (/ at line /.test(failure.message)) {
        expect(failure.message).toContain(` at line ${bad + 1}`)
      }
    }),
  )
})

/** The only lines of the property above that a recording may hold. */
function isGood(line: string, index: number): boolean {
  return line === (index === 0 ? HEAD : JSON.stringify(CLICK))
}

test('random bytes are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = Buffer.from(bytes).toString('utf8')
      expect(parseFailure(text).code).toBe('RECORDING_PARSE_FAILED')
    }),
  )
})

test('events are sorted by seq, and equal seq keeps the file order', () => {
  const at = (seq: number, ts: number) => ({ ...CLICK, seq, ts, type: 'click' as const })
  const events = [at(2, 1), at(1, 2), at(2, 3), at(0, 4)]
  expect(sortEvents({ header, events }).map(({ ts }) => ts)).toEqual([4, 2, 1, 3])
})
