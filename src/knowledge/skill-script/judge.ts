import type { SkillRunOutcome, SkillRunState } from '@apprentice/contracts/skills/runs.ts'
import type { SkillResult } from '@apprentice/contracts/skills/runs-result.ts'
import { type Proof, proveDeclared } from './declared-verification.ts'
import type { Frame } from './frame.ts'
import type { SkillManifest } from './manifest.ts'

/** How the process of a skill ended. */
export interface EndedProcess {
  readonly ended_by: 'exit' | 'timeout' | 'output_limit' | 'spawn_failure'
  readonly exit_code: number | null
  readonly signal?: string | undefined
  readonly spawn_error?: string | undefined
  readonly duration_ms: number
  readonly timeout_ms: number
}

/** What the device itself shows of the declared end state, when the runtime has looked. */
export interface RuntimeReading {
  readonly status: 'verified' | 'not_seen' | 'unreadable'
  readonly by: 'screen' | 'recorded_read'
  readonly observed?: string | undefined
  readonly message?: string | undefined
}

export interface RunFacts {
  readonly manifest: SkillManifest
  readonly args: readonly string[]
  readonly process: EndedProcess
  readonly frame: Frame
  /** Whether the expected words were in the output; undefined when none were expected. */
  readonly contains?: boolean | undefined
  /** The code of the last call the script made on a device, if that call failed. */
  readonly last_call_failure?: string | undefined
  readonly reading?: RuntimeReading | undefined
}

export interface Verdict {
  readonly state: Extract<SkillRunState, 'success' | 'failed' | 'indeterminate'>
  readonly outcome: SkillRunOutcome
}

/**
 * The order is part of the contract: time, output, frame, exit code, expected words, the skill's own word, then what
 * was declared. A skill that says it failed has failed, whatever its exit code.
 */
export function judgeRun(facts: RunFacts): Verdict {
  const stopped = judgeProcess(facts)
  if (stopped !== undefined) return stopped
  const { frame, manifest, process } = facts
  if (frame.kind === 'rejected') return failed(facts, 'SKILL_RESULT_PARSE_FAILED', frame.message)
  const result = frame.kind === 'result' ? frame.result : null
  if (process.exit_code !== 0) {
    return failed(facts, 'SKILL_EXECUTION_FAILED', exitWords(process))
  }
  if (result === null && manifest.agent !== undefined) {
    return failed(facts, 'SKILL_RESULT_PARSE_FAILED', 'The agent ended without a result.')
  }
  if (facts.contains === false) {
    return failed(facts, 'SKILL_OUTPUT_ASSERTION_FAILED', 'The output lacks the expected words.')
  }
  if (result?.status === 'failed') {
    return failed(facts, 'SKILL_EXECUTION_FAILED', 'The skill says it failed.')
  }
  return judgeProof(facts, result)
}

function judgeProcess(facts: RunFacts): Verdict | undefined {
  const { ended_by, timeout_ms, spawn_error } = facts.process
  switch (ended_by) {
    case 'timeout':
      return failed(facts, 'SKILL_EXECUTION_TIMEOUT', `It was not done within ${timeout_ms} ms.`)
    case 'output_limit':
      return failed(facts, 'SKILL_OUTPUT_TOO_LARGE', 'It printed more than a skill may.')
    case 'spawn_failure':
      return failed(facts, 'SKILL_EXECUTION_FAILED', spawn_error ?? 'It could not be started.')
    case 'exit':
      return undefined
  }
}

function judgeProof(facts: RunFacts, result: SkillResult | null): Verdict {
  const { manifest, args, reading, last_call_failure } = facts
  const proof = proveDeclared(manifest.contract, args, result)
  if (proof.kind === 'not_declared') {
    if (result?.status === 'indeterminate') {
      return unsure(facts, 'The skill cannot tell whether it worked.')
    }
    if (result === null && last_call_failure !== undefined) {
      return unsure(facts, `Its last call on the device failed (${last_call_failure}).`)
    }
    return { state: 'success', outcome: outcomeOf(facts) }
  }
  const verification = verificationOf(proof, reading)
  if (proof.kind === 'unproved') return unsure(facts, proof.message, verification)
  if (reading !== undefined && reading.status !== 'verified') {
    const message = reading.message ?? `The device does not show ${JSON.stringify(proof.expected)}.`
    return unsure(facts, message, verification)
  }
  return { state: 'success', outcome: { ...outcomeOf(facts), verification } }
}

function verificationOf(
  proof: Exclude<Proof, { kind: 'not_declared' }>,
  reading: RuntimeReading | undefined,
): NonNullable<SkillRunOutcome['verification']> {
  const { expected } = proof
  const seen = reading?.observed ?? proof.observed
  const proved = proof.kind === 'proved' && (reading?.status ?? 'verified') === 'verified'
  return {
    source: reading === undefined ? 'skill' : 'runtime',
    status: proved ? 'verified' : 'not_verified',
    ...(reading === undefined ? {} : { read_from: reading.by }),
    ...(expected === undefined ? {} : { expected: expected.slice(0, 512) }),
    ...(seen === undefined ? {} : { observed: seen.slice(0, 512) }),
  }
}

function outcomeOf({ process, frame }: RunFacts): SkillRunOutcome {
  // Time outranks the frame: what a skill printed before it was ended is no result.
  const counts = process.ended_by === 'exit' && frame.kind === 'result'
  return {
    exit_code: process.exit_code,
    ...(process.signal === undefined ? {} : { signal: process.signal }),
    duration_ms: process.duration_ms,
    skill_result: counts ? frame.result : null,
    warnings: counts ? [...frame.warnings] : [],
  }
}

function failed(facts: RunFacts, code: string, message: string): Verdict {
  return { state: 'failed', outcome: { ...outcomeOf(facts), trouble: { code, message } } }
}

function unsure(
  facts: RunFacts,
  message: string,
  verification?: SkillRunOutcome['verification'],
): Verdict {
  const trouble = { code: 'SKILL_VERIFICATION_INDETERMINATE', message }
  const outcome = { ...outcomeOf(facts), trouble }
  return {
    state: 'indeterminate',
    outcome: verification === undefined ? outcome : { ...outcome, verification },
  }
}

const exitWords = ({ exit_code, signal }: EndedProcess): string =>
  signal === undefined ? `It ended with ${exit_code}.` : `It was ended by ${signal}.`
