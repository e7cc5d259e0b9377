import type { SkillRunOutcome, SkillRunState } from '@apprentice/contracts/skills/runs.ts'
import type { SkillResult } from '@apprentice/contracts/skills/run-result.ts'
import { type DeclaredProof, checkDeclaredVerification } from './declared-verification.ts'
import type { Frame } from './frame.ts'
import type { SkillManifest } from './run-manifest.ts'

/** How the process of a skill ended. */
export interface ProcessEnd {
  readonly ended_by: 'exit' | 'timeout' | 'output_limit' | 'spawn_failure'
  readonly exit_code: number | null
  readonly signal?: string | undefined
  readonly spawn_error?: string | undefined
  readonly duration_ms: number
  readonly timeout_ms: number
}

/** The runtime's own check of the declared end state on the device. */
export interface RuntimeCheck {
  readonly status: 'verified' | 'not_seen' | 'unreadable'
  readonly by: 'screen' | 'recorded_read'
  readonly observed?: string | undefined
  readonly message?: string | undefined
}

export interface SkillRunFacts {
  readonly manifest: SkillManifest
  readonly args: readonly string[]
  readonly process: ProcessEnd
  readonly frame: Frame
  /** Whether the output contains the expected text; undefined when none is expected. */
  readonly contains?: boolean | undefined
  /** The code of the last call the script made on a device, if that call failed. */
  readonly last_call_failure?: string | undefined
  readonly check?: RuntimeCheck | undefined
}

export interface SkillRunVerdict {
  readonly state: Extract<SkillRunState, 'success' | 'failed' | 'indeterminate'>
  readonly outcome: SkillRunOutcome
}

/**
 * The order of the checks is part of the contract: timeout, output limit, frame, exit code, expected text, status in
 * the result, declared verification. A result with status `failed` fails the run, whatever the exit code.
 */
export function judgeRun(facts: SkillRunFacts): SkillRunVerdict {
  const stopped = judgeProcess(facts)
  if (stopped !== undefined) return stopped
  const { frame, manifest, process } = facts
  if (frame.kind === 'rejected') return buildFailed(facts, 'SKILL_RESULT_PARSE_FAILED', frame.message)
  const result = frame.kind === 'result' ? frame.result : null
  if (process.exit_code !== 0) {
    return buildFailed(facts, 'SKILL_EXECUTION_FAILED', describeExit(process))
  }
  if (result === null && manifest.agent !== undefined) {
    return buildFailed(facts, 'SKILL_RESULT_PARSE_FAILED', 'The agent ended without a result.')
  }
  if (facts.contains === false) {
    return buildFailed(facts, 'SKILL_OUTPUT_ASSERTION_FAILED', 'The output lacks the expected text.')
  }
  if (result?.status === 'failed') {
    return buildFailed(facts, 'SKILL_EXECUTION_FAILED', 'The skill reported a failure.')
  }
  return judgeVerification(facts, result)
}

function judgeProcess(facts: SkillRunFacts): SkillRunVerdict | undefined {
  const { ended_by, timeout_ms, spawn_error } = facts.process
  switch (ended_by) {
    case 'timeout':
      return buildFailed(facts, 'SKILL_EXECUTION_TIMEOUT', `The skill did not finish within ${timeout_ms} ms.`)
    case 'output_limit':
      return buildFailed(facts, 'SKILL_OUTPUT_TOO_LARGE', 'The output exceeds the limit.')
    case 'spawn_failure':
      return buildFailed(facts, 'SKILL_EXECUTION_FAILED', spawn_error ?? 'The script could not be started.')
    case 'exit':
      return undefined
  }
}

function judgeVerification(facts: SkillRunFacts, result: SkillResult | null): SkillRunVerdict {
  const { manifest, args, check, last_call_failure } = facts
  const proof = checkDeclaredVerification(manifest.contract, args, result)
  if (proof.kind === 'not_declared') {
    if (result?.status === 'indeterminate') {
      return buildIndeterminate(facts, 'The skill reported an indeterminate result.')
    }
    if (result === null && last_call_failure !== undefined) {
      return buildIndeterminate(facts, `The last call on the device failed (${last_call_failure}).`)
    }
    return { state: 'success', outcome: buildOutcome(facts) }
  }
  const verification = buildVerification(proof, check)
  if (proof.kind === 'unproved') return buildIndeterminate(facts, proof.message, verification)
  if (check !== undefined && check.status !== 'verified') {
    const message = check.message ?? `The device does not show ${JSON.stringify(proof.expected)}.`
    return buildIndeterminate(facts, message, verification)
  }
  return { state: 'success', outcome: { ...buildOutcome(facts), verification } }
}

function buildVerification(
  proof: Exclude<DeclaredProof, { kind: 'not_declared' }>,
  check: RuntimeCheck | undefined,
): NonNullable<SkillRunOutcome['verification']> {
  const { expected } = proof
  const seen = check?.observed ?? proof.observed
  const proved = proof.kind === 'proved' && (check?.status ?? 'verified') === 'verified'
  return {
    source: check === undefined ? 'skill' : 'runtime',
    status: proved ? 'verified' : 'not_verified',
    ...(check === undefined ? {} : { read_from: check.by }),
    ...(expected === undefined ? {} : { expected: expected.slice(0, 512) }),
    ...(seen === undefined ? {} : { observed: seen.slice(0, 512) }),
  }
}

function buildOutcome({ process, frame }: SkillRunFacts): SkillRunOutcome {
  // A result counts only if the process exited by itself.
  const counts = process.ended_by === 'exit' && frame.kind === 'result'
  return {
    exit_code: process.exit_code,
    ...(process.signal === undefined ? {} : { signal: process.signal }),
    duration_ms: process.duration_ms,
    skill_result: counts ? frame.result : null,
    warnings: counts ? [...frame.warnings] : [],
  }
}

function buildFailed(facts: SkillRunFacts, code: string, message: string): SkillRunVerdict {
  return { state: 'failed', outcome: { ...buildOutcome(facts), trouble: { code, message } } }
}

function buildIndeterminate(
  facts: SkillRunFacts,
  message: string,
  verification?: SkillRunOutcome['verification'],
): SkillRunVerdict {
  const trouble = { code: 'SKILL_VERIFICATION_INDETERMINATE', message }
  const outcome = { ...buildOutcome(facts), trouble }
  return {
    state: 'indeterminate',
    outcome: verification === undefined ? outcome : { ...outcome, verification },
  }
}

const describeExit = ({ exit_code, signal }: ProcessEnd): string =>
  signal === undefined ? `The script exited with code ${exit_code}.` : `The script was killed by ${signal}.`
