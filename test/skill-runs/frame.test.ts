import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Frame, parseFrame } from '../../src/knowledge/skill-script/frame.ts'
import { FrameReader, MAX_LINE_LENGTH, RESULT_MARKER } from '../../src/knowledge/skill-script/frame-reader.ts'
import { readFrame } from './frame-kit.ts'
import { countRuns } from '../kit/count-runs.ts'

fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_116) })

const EXPECTED = { skill_id: 'com.test.it', source: { kind: 'script' } as const }
const formatReport = (changes: object = {}): string =>
  JSON.stringify({
    contractVersion: '1.0.0',
    skillId: 'com.test.it',
    status: 'success',
    checkpoints: [{ id: 'opened', status: 'ok', note: 'seen' }],
    ...changes,
  })
const formatFrame = (json = formatReport()): string => `${RESULT_MARKER}\n${json}\n`
const parse = (stdout: string): Frame => readFrame(stdout, EXPECTED)
const readFault = (stdout: string): string => {
  const frame = parse(stdout)
  return frame.kind === 'rejected' ? frame.fault : frame.kind
}

describe('a valid result', () => {
  test('gets its source from the runtime and loses unknown fields', () => {
    const frame = parse(`hello\n\n${formatFrame(formatReport({ colour: 'red', result: null }))}\n\n`)
    expect(frame).toEqual({
      kind: 'result',
      warnings: [],
      result: {
        contractVersion: '1.0.0',
        skillId: 'com.test.it',
        status: 'success',
        checkpoints: [{ id: 'opened', status: 'ok', note: 'seen' }],
        result: null,
        source: { kind: 'script' },
      },
    })
  })

  test('of an agent skill names the agent', () => {
    const source = { kind: 'agent', agentCli: 'codex' } as const
    expect(readFrame(formatFrame(), { ...EXPECTED, source })).toMatchObject({ result: { source } })
  })

  test('may have CRLF line ends', () => {
    expect(readFault(`a\r\n${RESULT_MARKER}\r\n${formatReport()}\r\n`)).toBe('result')
  })

  test('may lack the last line end', () => {
    expect(readFault(`${RESULT_MARKER}\n${formatReport()}`)).toBe('result')
  })

  test('has step data as strings', () => {
    const step = {
      id: 's',
      actionType: 'read_text',
      success: true,
      data: { n: 3, on: true, t: 'x' },
    }
    const envelope = {
      commandId: 'c',
      taskId: 't',
      status: 'success',
      stepResults: [step],
      error: null,
    }
    expect(parse(formatFrame(formatReport({ execEnvelopes: [envelope] })))).toMatchObject({
      result: { execEnvelopes: [{ stepResults: [{ data: { n: '3', on: 'true', t: 'x' } }] }] },
    })
  })

  test.each(['1.0.0', '1.0.17'])('of version %s is read without a warning', (contractVersion) => {
    expect(parse(formatFrame(formatReport({ contractVersion })))).toMatchObject({
      kind: 'result',
      warnings: [],
    })
  })

  test('of a newer minor version is read with a warning', () => {
    const frame = parse(formatFrame(formatReport({ contractVersion: '1.3.0', added: 1 })))
    expect(frame).toMatchObject({ kind: 'result', warnings: [expect.stringContaining('1.3.0')] })
    expect(frame).not.toHaveProperty('result.added')
  })
})

test('an output without a marker has no result', () => {
  expect(parse(`${formatReport()}\n`)).toEqual({ kind: 'none' })
  expect(parse('')).toEqual({ kind: 'none' })
})

test.each([
  ['padded', ` ${RESULT_MARKER}\n${formatReport()}`],
  ['with something behind it', `${RESULT_MARKER}.\n${formatReport()}`],
  ['in the middle of a line', `x${RESULT_MARKER}\n${formatReport()}`],
])('a marker %s is ignored', (_description, stdout) => {
  expect(readFault(stdout)).toBe('none')
})

test.each([
  ['marker_without_result', `${RESULT_MARKER}\n`],
  ['marker_without_result', `${RESULT_MARKER}\n\n   \n`],
  ['not_terminal', `${formatFrame()}done\n`],
  ['not_an_object', `${RESULT_MARKER}\n[1]\n`],
  ['not_an_object', `${RESULT_MARKER}\n ${formatReport()}\n`],
  ['several_markers', `${formatFrame()}${formatFrame()}`],
  ['several_markers', `${RESULT_MARKER}\n${RESULT_MARKER}\n${formatReport()}\n`],
  ['invalid_json', `${RESULT_MARKER}\n{"contractVersion":\n`],
  ['too_deep', formatFrame(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)],
  ['too_long', formatFrame(formatReport({ note: 'x'.repeat(MAX_LINE_LENGTH) }))],
  ['source_given', formatFrame(formatReport({ source: { kind: 'script' } }))],
  ['source_given', formatFrame(formatReport({ source: null }))],
  ['schema_violation', formatFrame(formatReport({ status: 'fine' }))],
  ['schema_violation', formatFrame(formatReport({ checkpoints: undefined }))],
  ['schema_violation', formatFrame(formatReport({ checkpoints: [{ id: '', status: 'ok' }] }))],
  ['schema_violation', formatFrame(formatReport({ skillId: '' }))],
  ['schema_violation', formatFrame(formatReport({ terminalVerification: { status: 'yes' } }))],
  ['schema_violation', formatFrame(formatReport({ result: { kind: 'result_envelope_ref', execEnvelopeIndex: -1 } }))],
  ['version_unsupported', formatFrame(formatReport({ contractVersion: '2.0.0' }))],
  ['version_unsupported', formatFrame(formatReport({ contractVersion: '0.9.0' }))],
  ['version_unsupported', formatFrame(formatReport({ contractVersion: '1.0' }))],
  ['version_unsupported', formatFrame(formatReport({ contractVersion: 'v1.0.0' }))],
  ['version_unsupported', formatFrame(formatReport({ contractVersion: '1.0.0-beta' }))],
  ['version_unsupported', formatFrame(formatReport({ contractVersion: '01.0.0' }))],
  ['skill_id_mismatch', formatFrame(formatReport({ skillId: 'com.test.other' }))],
])('%s is rejected', (reason, stdout) => {
  expect(readFault(stdout)).toBe(reason)
})

/** Valid and invalid lines of an output. */
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constant(RESULT_MARKER) },
  { weight: 3, arbitrary: fc.constant(formatReport()) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '  ', '\r', '{', '}', '{}', ` ${RESULT_MARKER}`, `${RESULT_MARKER}\r`),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  {
    weight: 2,
    arbitrary: fc
      .record(
        {
          contractVersion: fc.oneof(fc.constant('1.0.0'), fc.string({ maxLength: 8 }), fc.integer()),
          skillId: fc.oneof(fc.constant('com.test.it'), fc.jsonValue({ maxDepth: 1 })),
          status: fc.constantFrom('success', 'failed', 'indeterminate', 'odd', 1, null),
          checkpoints: fc.oneof(fc.constant([]), fc.jsonValue({ maxDepth: 2 })),
          inputs: fc.jsonValue({ maxDepth: 2 }),
          diagnostics: fc.jsonValue({ maxDepth: 2 }),
          execEnvelopes: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  },
)
const output = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 6 }).chain((lines) =>
  fc.constantFrom(0, 1).map((cut) =>
    lines
      .map(([a, b]) => a + b)
      .join('')
      .slice(0, cut === 0 ? undefined : -1),
  ),
)

/** An independent implementation of the placement rules on the whole text. */
function judgePlacement(stdout: string): 'none' | 'rejected' | 'candidate' {
  const lines = stdout.split(/\r?\n/).filter((one) => one.trim() !== '')
  const markers = lines.filter((one) => one === RESULT_MARKER).length
  if (markers === 0) return 'none'
  const framed = lines.at(-2) === RESULT_MARKER && lines.at(-1)?.startsWith('{') === true
  return markers === 1 && framed ? 'candidate' : 'rejected'
}

test('any output is classified by the placement of its frame', () => {
  fc.assert(
    fc.property(output, (stdout) => {
      const frame = parse(stdout)
      const place = judgePlacement(stdout)
      if (place === 'candidate') expect(frame.kind).not.toBe('none')
      else expect(frame.kind).toBe(place)
      if (frame.kind === 'result') expect(frame.result.source).toEqual({ kind: 'script' })
    }),
    { numRuns: countRuns(12_000) },
  )
})

test('an output in chunks gives the same frame as the whole', () => {
  fc.assert(
    fc.property(output, fc.infiniteStream(fc.nat(40)), (stdout, sizes) => {
      const reader = new FrameReader()
      for (let at = 0; at < stdout.length;) {
        const size = sizes.next().value + 1
        reader.push(stdout.slice(at, at + size))
        at += size
      }
      expect(parseFrame(reader.end(), EXPECTED)).toEqual(parse(stdout))
    }),
    { numRuns: countRuns(1500) },
  )
})
