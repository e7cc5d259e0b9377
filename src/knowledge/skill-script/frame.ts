import { SkillReport, type SkillResult, type SkillResultSource } from '@apprentice/contracts/skills/run-result.ts'
import type { FrameLines } from './frame-reader.ts'

export type FrameFault =
  | 'marker_without_result'
  | 'not_terminal'
  | 'not_an_object'
  | 'several_markers'
  | 'too_long'
  | 'too_deep'
  | 'invalid_json'
  | 'source_given'
  | 'schema_violation'
  | 'version_unsupported'
  | 'skill_id_mismatch'

export type Frame =
  | { readonly kind: 'none' }
  | { readonly kind: 'result'; readonly result: SkillResult; readonly warnings: readonly string[] }
  | { readonly kind: 'rejected'; readonly fault: FrameFault; readonly message: string }

/** Facts of the runtime that the output cannot change. */
export interface FrameExpectation {
  readonly skill_id: string
  readonly source: SkillResultSource
}

export function parseFrame(lines: FrameLines, expected: FrameExpectation): Frame {
  if (lines.markers === 0) return { kind: 'none' }
  const fault = findPlacementFault(lines)
  return fault ?? parseResult(lines.json ?? '', expected)
}

function findPlacementFault({ markers, after, json, tooLong }: FrameLines): Frame | undefined {
  if (markers > 1) return rejected('several_markers', 'The output has more than one result marker.')
  if (after === 0) return rejected('marker_without_result', 'No result follows its marker.')
  if (after > 1) return rejected('not_terminal', 'The output continues after the result.')
  if (tooLong) return rejected('too_long', 'The result is longer than a megabyte.')
  return json?.startsWith('{') === true
    ? undefined
    : rejected('not_an_object', 'The line after the marker does not begin with {.')
}

function parseResult(json: string, expected: FrameExpectation): Frame {
  if (isTooDeep(json)) return rejected('too_deep', 'The result is nested too deeply.')
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return rejected('invalid_json', 'The result is not JSON.')
  }
  if (Object.hasOwn(value as object, 'source')) {
    return rejected('source_given', 'The result must not contain `source`; the runtime sets it.')
  }
  const read = SkillReport.safeParse(stringifyStepData(value as Readonly<Record<string, unknown>>))
  if (!read.success) {
    const [issue] = read.error.issues
    const place = issue?.path.join('.') ?? ''
    return rejected('schema_violation', `The result is invalid at ${place}: ${issue?.message ?? ''}`)
  }
  const version = checkVersion(read.data.contractVersion)
  if (typeof version === 'string') return rejected('version_unsupported', version)
  if (read.data.skillId !== expected.skill_id) {
    return rejected('skill_id_mismatch', `The result belongs to skill ${read.data.skillId}.`)
  }
  return {
    kind: 'result',
    result: { ...read.data, source: expected.source },
    warnings: version.warnings,
  }
}

/** Supports 1.0. Of a newer 1.x, unknown fields are dropped. */
function checkVersion(version: string): string | { warnings: string[] } {
  const parts = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version)
  if (parts === null) return `contractVersion ${version.slice(0, 40)} is not of the form x.y.z.`
  if (parts[1] !== '1') return `contractVersion ${version.slice(0, 40)} is not supported.`
  return {
    warnings:
      parts[2] === '0'
        ? []
        : [`contractVersion ${version.slice(0, 40)} is newer than 1.0; unknown fields were dropped.`],
  }
}

/** Protects recursive code from a stack overflow. */
const MAX_DEPTH = 100

function isTooDeep(json: string): boolean {
  let depth = 0
  let quoted = false
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at]
    if (quoted) {
      if (sign === '\\') at += 1
      else if (sign === '"') quoted = false
    } else if (sign === '"') quoted = true
    else if (sign === '{' || sign === '[') {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (sign === '}' || sign === ']') depth -= 1
  }
  return false
}

/** Step data must be strings, but scripts also write numbers and booleans. */
function stringifyStepData(report: Readonly<Record<string, unknown>>): unknown {
  const envelopes = report['execEnvelopes']
  if (!Array.isArray(envelopes)) return report
  return {
    ...report,
    execEnvelopes: envelopes.map((one) => mapItems(one, 'stepResults', stringifyData)),
  }
}

function stringifyData(step: unknown): unknown {
  if (!isObject(step) || !isObject(step['data'])) return step
  const entries = Object.entries(step['data']).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return { ...step, data: Object.fromEntries(entries) }
}

function mapItems(value: unknown, key: string, change: (one: unknown) => unknown): unknown {
  if (!isObject(value) || !Array.isArray(value[key])) return value
  return { ...value, [key]: value[key].map(change) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const rejected = (fault: FrameFault, message: string): Frame => ({
  kind: 'rejected',
  fault,
  message,
})
