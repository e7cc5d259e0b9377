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
  ['exit code 0 without a result is a success', {}, ['success', null, null]],
  ['a success result is a success', { frame: parseOutput(formatReport()) }, ['success', null, 'success']],
  [
    'a timeout comes before a result',
    {
      process: { ...EXITED, ended_by: 'timeout', exit_code: 0 },
      frame: parseOutput(formatReport()),
    },
    ['failed', 'SKILL_EXECUTION_TIMEOUT', null],
  ],
  [
    'a timeout comes before an invalid frame',
    { process: { ...EXITED, ended_by: 'timeout' }, frame: parseOutput(RESULT_MARKER) },
    ['failed', 'SKILL_EXECUTION_TIMEOUT', null],
  ],
  [
    'an invalid frame comes before the exit code',
    { process: { ...EXITED, exit_code: 3 }, frame: parseOutput(RESULT_MARKER) },
    ['failed', 'SKILL_RESULT_PARSE_FAILED', null],
  ],
  [
    'the exit code comes before the expected text',
    { process: { ...EXITED, exit_code: 3 }, frame: parseOutput(formatReport()), contains: false },
    ['failed', 'SKILL_EXECUTION_FAILED', 'success'],
  ],
  ['an agent without a result has failed', { manifest: agent }, ['failed', 'SKILL_RESULT_PARSE_FAILED', null]],
  [
    'the exit code of an agent comes before its missing result',
    { manifest: agent, process: { ...EXITED, exit_code: 1 } },
    ['failed', 'SKILL_EXECUTION_FAILED', null],
  ],
  [
    'the expected text comes before the verification',
    { manifest: declaring, contains: false },
    ['failed', 'SKILL_OUTPUT_ASSERTION_FAILED', null],
  ],
  [
    'a failed result comes before the verification',
    { manifest: declaring, frame: parseOutput(formatReport({ status: 'failed', ...proof })) },
    ['failed', 'SKILL_EXECUTION_FAILED', 'failed'],
  ],
  [
    'a declared verification without a result is indeterminate',
    { manifest: declaring },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', null],
  ],
  [
    'a proved verification is a success',
    { manifest: declaring, frame: parseOutput(formatReport(proof)) },
    ['success', null, 'success'],
  ],
  [
    'a verification that the device does not confirm is indeterminate',
    {
      manifest: declaring,
      frame: parseOutput(formatReport(proof)),
      check: { status: 'not_seen', by: 'screen' },
    },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'success'],
  ],
  [
    'a verification that the skill does not prove is indeterminate, whatever the device shows',
    {
      manifest: declaring,
      frame: parseOutput(formatReport()),
      check: { status: 'verified', by: 'screen', observed: 'On' },
    },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'success'],
  ],
  [
    'an indeterminate result is indeterminate',
    { frame: parseOutput(formatReport({ status: 'indeterminate' })) },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', 'indeterminate'],
  ],
  [
    'a failed last call without a result is indeterminate',
    { last_call_failure: 'NODE_NOT_FOUND' },
    ['indeterminate', 'SKILL_VERIFICATION_INDETERMINATE', null],
  ],
  [
    'a success result outweighs a failed last call',
    { last_call_failure: 'NODE_NOT_FOUND', frame: parseOutput(formatReport()) },
    ['success', null, 'success'],
  ],
  [
    'a process killed by a signal has failed',
    { process: { ...EXITED, exit_code: null, signal: 'SIGSEGV' } },
    ['failed', 'SKILL_EXECUTION_FAILED', null],
  ],
])('%s', (_description, facts, verdict) => {
  expect(judge(facts)).toEqual(verdict)
})
