import type { RunVerification } from '@apprentice/contracts/abilities/runs.ts'
import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import { findExecution } from '../../store/devices/executions.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { TraceRow } from '../../store/capture/traces.ts'
import { listRunItems, type RunItemRow } from '../../store/runs/run-items.ts'
import { listItemParts } from '../../store/runs/run-parts.ts'
import type { CommandContext } from '../command/context.ts'
import { type EndedPart, listEndedParts, readResults } from './run-outcome.ts'

/** A step of a trace. A call of another ability and an item of a list contain steps. */
interface TraceStep {
  readonly step_id: string
  readonly action_label: string
  readonly surface: 'raw_ui'
  readonly success: boolean
  readonly ability_id?: string
  readonly version?: number
  readonly content_hash?: string
  readonly steps?: readonly TraceStep[]
}

/** The execution trace of a run, which mining and statistics read. */
export function buildRunTrace(ctx: CommandContext, run: AbilityRunRow): TraceRow {
  const { outcome } = run
  const ability = findAbility(ctx.tx, run.ability_id)
  const items = run.items_total === undefined ? [] : listRunItems(ctx.tx, run.run_id)
  const startedMs = Date.parse(findExecution(ctx.tx, run.execution_id)?.started_at ?? run.created_at)
  const body = {
    trace_id: run.run_id,
    capability_id: ability?.primary_capability_id ?? run.ability_id,
    app_id: ability?.family ?? 'unknown',
    goal: ability?.title ?? run.ability_id,
    surfaces_attempted: ['raw_ui'],
    steps:
      run.items_total === undefined
        ? listSteps(ctx, run.run_id, 0)
        : items.flatMap((item) => toItemStep(ctx, run.run_id, item)),
    verification_results: [outcome, ...items.map((item) => item.outcome)].flatMap(({ verification }) =>
      verification.map(toVerificationResult),
    ),
    fallback_used: [outcome, ...items.map((item) => item.outcome)].some((one) => one.used_fallbacks.length > 0),
    user_takeover: false,
    success: run.state === 'success',
    ...(outcome.trouble === undefined
      ? {}
      : { failure_fingerprint: `${outcome.trouble.code}@${outcome.trouble.step_id ?? 'end'}` }),
    elapsed_ms: Math.max(0, Date.parse(ctx.now) - startedMs),
    execution_id: run.execution_id,
    created_at: ctx.now,
    schema_version: 1,
  }
  return {
    trace_id: run.run_id,
    owner_user_id: run.owner_user_id,
    body: JSON.stringify(body),
    created_at: ctx.now,
  }
}

const toVerificationResult = ({ verification_id, held, observed }: RunVerification) => ({
  kind: verification_id.slice(0, 80),
  passed: held === true,
  ...(observed === undefined ? {} : { detail: 'read from the device' }),
})

/** Items that were not started are not in the trace. */
function toItemStep(ctx: CommandContext, runId: string, { item, state }: RunItemRow): TraceStep[] {
  if (state === 'not_started') return []
  const steps = listSteps(ctx, runId, item)
  return [{ step_id: `item.${item}`, action_label: 'item', surface: 'raw_ui', success: state === 'success', steps }]
}

function listSteps(ctx: CommandContext, runId: string, item: number): TraceStep[] {
  return nestSteps(listEndedParts(ctx.tx, listItemParts(ctx.tx, runId, item)), '')
}

/** The steps of the parts that were called at `call`. Deeper calls become one step each. */
function nestSteps(parts: readonly EndedPart[], call: string): TraceStep[] {
  const steps: TraceStep[] = []
  let at = 0
  while (at < parts.length) {
    const ended = parts[at]
    if (ended === undefined) break
    if (ended.part.call === call) {
      steps.push(...listPartSteps(ended))
      at += 1
      continue
    }
    const inner = nextCall(ended.part.call, call)
    const isInside = ({ part }: EndedPart) => part.call === inner || part.call.startsWith(`${inner}/`)
    const length = countWhile(parts.slice(at), isInside)
    steps.push(toCallStep(parts.slice(at, at + length), inner))
    at += length
  }
  return steps
}

const listPartSteps = ({ execution }: EndedPart): TraceStep[] =>
  readResults(execution).map(({ id, actionType, success }) => ({
    step_id: id.slice(0, 80),
    action_label: actionType,
    surface: 'raw_ui',
    success,
  }))

function toCallStep(parts: readonly EndedPart[], call: string): TraceStep {
  const own = parts.find(({ part }) => part.call === call)?.part
  const steps = nestSteps(parts, call)
  return {
    step_id: (call.split('/').at(-1) ?? call).slice(0, 80),
    action_label: 'call_ability',
    surface: 'raw_ui',
    success: parts.every(({ execution }) => execution.state === 'succeeded'),
    ...(own && { ability_id: own.ability_id, version: own.version, content_hash: own.content_hash }),
    steps,
  }
}

/** The call directly below `call` on the way to `deeper`. */
function nextCall(deeper: string, call: string): string {
  const depth = call === '' ? 1 : call.split('/').length + 1
  return deeper.split('/').slice(0, depth).join('/')
}

function countWhile<T>(values: readonly T[], test: (value: T) => boolean): number {
  const end = values.findIndex((value) => !test(value))
  return end === -1 ? values.length : end
}
