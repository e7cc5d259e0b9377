import { expect, test } from 'vitest'
import { RESULT_MARKER } from '../../src/knowledge/skill-script/frame-reader.ts'
import { judgeRun, type SkillRunFacts } from '../../src/knowledge/skill-script/verdict.ts'
import { type SkillManifest, readRunManifest } from '../../src/knowledge/skill-script/run-manifest.ts'
import { readFrame } from './frame-kit.ts'

const formatReport = (changes: object = {}) =>
  `${RESULT_MARKER}\n${JSON.stringify({ contractVersion: '1.0.0', skillId: 's', status: 'success', checkpoints: [], ...changes })}`
const parseOutput = (stdout: string) => readFrame(stdout, { skill_id: 's', source: { kind: 'script' } })
const EXITED: SkillRunFacts['process'] = {
  ended_by: 'exit',
  exit_code: 0,
  duration_ms: 5,
  timeout_ms: 100,
}
const agent: SkillManifest = readRunManifest({ agent: { cli: 'codex' } })
const declaring: SkillManifest = readRunManifest({
  contract: { inputs: {}, goal: null, verification: { kind: 'node_text_matches', matcher: 'On' } },
})
const proof = {
  inputs: {},
  terminalVerification: { status: 'verified', observed: { kind: 'text', text: 'On' } },
}

const judge = (changes: Partial<SkillRunFacts>) => {
  const { state, outcome } = judgeRun({
    manifest: {},
    args: [],
    process: EXITED,
    frame: { kind: 'none' },
    ...changes,
  })
  return [state, outcome.trouble?.code ?? null, outcome.skill_result?.status ?? null]
}

test.each<[string, Partial<SkillRunFacts>, ReturnType<typeof judge>]>([
  ['legacy success', {}, ['success', null, null]],
  ['a result', { frame: parseOutput(formatReport()) }, ['success', null, 'success']],
  [
    'time before everything',
    { process: { ...EXITED, ended_by: 'timeout', exit_code: 0 }, frame: parseOutput(formatReport()) },
    ['failed', 'SKILL_EXECUTION_TIMEOUT', null],
  ],
  [
    'time before a bad frame',
    { process: { ...EXITED, ended_by: 'timeout' }, frame: parseOutput(RESULT_MARKER) },
    ['failed', 'SKILL_EXECUTION_TIMEOUT', null],
  ],
  [
    'a bad frame before the exit code',
    { process: { ...EXITED, exit_code: 3 }, frame: parseOutput(RESULT_MARKER) },
    ['failed', 'SKILL_RESULT_PARSE_FAILED', null],
  ],
  [
    'the exit code before expected words',
    { process: { ...EXITED, exit_code: 3 }, frame: parseOutput(formatReport()), contains: false },
    ['failed', 'SKILL_EXECUTION_FAILED', 'success'],
  ],
  ['an agent without a result', { manifest: agent }, ['failed', 'SKILL_RESULT_PARSE_FAILED', null]],
  [
    'an agent that failed is told by its exit code',
    { manifest: agent, process: { ...EXITED, exit_code: 1 } },
    ['failed', 'SKILL_EXECUTION_FAILED', null],
  ],
  [
    'expected words before the verification',
    { manifest: declaring, contains: false },
    ['failed', 'SKILL_OUTPUT_ASSERTION_FAILED', null],
  ],
  [
    'a failed result before the verification',
    { manifest: declaring, frame: parseOutput(formatReport({ status: 'failed', ...proof })) },
    ['failed', 'SKILL_EXECUTION_FAILED', 'failed'],
  ],
  [
    'declared and not shown',
    { manifest: declaring },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', null],
  ],
  [
    'declared and shown',
    { manifest: declaring, frame: parseOutput(formatReport(proof)) },
    ['success', null, 'success'],
  ],
  [
    'shown by the skill, not by the device',
    {
      manifest: declaring,
      frame: parseOutput(formatReport(proof)),
      check: { status: 'not_seen', by: 'screen' },
    },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'success'],
  ],
  [
    'not shown by the skill, whatever the device shows',
    {
      manifest: declaring,
      frame: parseOutput(formatReport()),
      check: { status: 'verified', by: 'screen', observed: 'On' },
    },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'success'],
  ],
  [
    'a skill that cannot tell',
    { frame: parseOutput(formatReport({ status: 'indeterminate' })) },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'indeterminate'],
  ],
  [
    'no result, and the last call failed',
    { last_call_failure: 'NODE_NOT_FOUND' },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', null],
  ],
  [
    'a result, and the last call failed: its own word counts',
    { last_call_failure: 'NODE_NOT_FOUND', frame: parseOutput(formatReport()) },
    ['success', null, 'success'],
  ],
  [
    'ended by a signal',
    { process: { ...EXITED, exit_code: null, signal: 'SIGSEGV' } },
    ['failed', 'SKILL_EXECUTION_FAILED', null],
  ],
])('%s', (_what, facts, verdict) => {
  expect(judge(facts)).toEqual(verdict)
})
