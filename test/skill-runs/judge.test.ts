import { expect, test } from 'vitest'
import { resultMarker } from '../../src/knowledge/skill-script/frame-reader.ts'
import { judgeRun, type RunFacts } from '../../src/knowledge/skill-script/judge.ts'
import { type SkillManifest, readManifest } from '../../src/knowledge/skill-script/manifest.ts'
import { readFrame } from './frames.ts'

const report = (changes: object = {}) =>
  `${resultMarker}\n${JSON.stringify({ contractVersion: '1.0.0', skillId: 's', status: 'success', checkpoints: [], ...changes })}`
const read = (stdout: string) => readFrame(stdout, { skill_id: 's', source: { kind: 'script' } })
const ended: RunFacts['process'] = {
  ended_by: 'exit',
  exit_code: 0,
  duration_ms: 5,
  timeout_ms: 100,
}
const agent: SkillManifest = readManifest({ agent: { cli: 'codex' } })
const declaring: SkillManifest = readManifest({
  contract: { inputs: {}, goal: null, verification: { kind: 'node_text_matches', matcher: 'On' } },
})
const proof = {
  inputs: {},
  terminalVerification: { status: 'verified', observed: { kind: 'text', text: 'On' } },
}

const judge = (changes: Partial<RunFacts>) => {
  const { state, outcome } = judgeRun({
    manifest: {},
    args: [],
    process: ended,
    frame: { kind: 'none' },
    ...changes,
  })
  return [state, outcome.trouble?.code ?? null, outcome.skill_result?.status ?? null]
}

test.each<[string, Partial<RunFacts>, ReturnType<typeof judge>]>([
  ['legacy success', {}, ['success', null, null]],
  ['a result', { frame: read(report()) }, ['success', null, 'success']],
  [
    'time before everything',
    { process: { ...ended, ended_by: 'timeout', exit_code: 0 }, frame: read(report()) },
    ['failed', 'SKILL_EXECUTION_TIMEOUT', null],
  ],
  [
    'time before a bad frame',
    { process: { ...ended, ended_by: 'timeout' }, frame: read(resultMarker) },
    ['failed', 'SKILL_EXECUTION_TIMEOUT', null],
  ],
  [
    'a bad frame before the exit code',
    { process: { ...ended, exit_code: 3 }, frame: read(resultMarker) },
    ['failed', 'SKILL_RESULT_PARSE_FAILED', null],
  ],
  [
    'the exit code before expected words',
    { process: { ...ended, exit_code: 3 }, frame: read(report()), contains: false },
    ['failed', 'SKILL_EXECUTION_FAILED', 'success'],
  ],
  ['an agent without a result', { manifest: agent }, ['failed', 'SKILL_RESULT_PARSE_FAILED', null]],
  [
    'an agent that failed is told by its exit code',
    { manifest: agent, process: { ...ended, exit_code: 1 } },
    ['failed', 'SKILL_EXECUTION_FAILED', null],
  ],
  [
    'expected words before the verification',
    { manifest: declaring, contains: false },
    ['failed', 'SKILL_OUTPUT_ASSERTION_FAILED', null],
  ],
  [
    'a failed result before the verification',
    { manifest: declaring, frame: read(report({ status: 'failed', ...proof })) },
    ['failed', 'SKILL_EXECUTION_FAILED', 'failed'],
  ],
  [
    'declared and not shown',
    { manifest: declaring },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', null],
  ],
  [
    'declared and shown',
    { manifest: declaring, frame: read(report(proof)) },
    ['success', null, 'success'],
  ],
  [
    'shown by the skill, not by the device',
    {
      manifest: declaring,
      frame: read(report(proof)),
      reading: { status: 'not_seen', by: 'screen' },
    },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'success'],
  ],
  [
    'not shown by the skill, whatever the device shows',
    {
      manifest: declaring,
      frame: read(report()),
      reading: { status: 'verified', by: 'screen', observed: 'On' },
    },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'success'],
  ],
  [
    'a skill that cannot tell',
    { frame: read(report({ status: 'indeterminate' })) },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'indeterminate'],
  ],
  [
    'no result, and the last call failed',
    { last_call_failure: 'NODE_NOT_FOUND' },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', null],
  ],
  [
    'a result, and the last call failed: its own word counts',
    { last_call_failure: 'NODE_NOT_FOUND', frame: read(report()) },
    ['success', null, 'success'],
  ],
  [
    'ended by a signal',
    { process: { ...ended, exit_code: null, signal: 'SIGSEGV' } },
    ['failed', 'SKILL_EXECUTION_FAILED', null],
  ],
])('%s', (_what, facts, verdict) => {
  expect(judge(facts)).toEqual(verdict)
})
