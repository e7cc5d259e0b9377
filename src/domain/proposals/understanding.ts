import type { Understanding } from '@apprentice/contracts/learn/understanding.ts'
import type { ObservedTrace } from '../../knowledge/steps/observed-step.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { chooseTitle } from './draft-source.ts'
import { UNNAMED_TITLE } from './interpretation.ts'
import { learnWorkflow } from './learned-workflow.ts'
import { buildDraftSource, type DraftContext, readDraftJob } from './write-proposal.ts'

/** Interprets the captured actions as a draft would. Undefined if there is no screen to interpret. */
export function describeUnderstanding(
  ctx: DraftContext,
  session: StoredSession,
  runs: readonly ObservedTrace[],
): Understanding | undefined {
  const source = { ...buildDraftSource(ctx, readDraftJob(ctx, session)), runs }
  const workflow = learnWorkflow(source)
  if (workflow === undefined) return undefined
  const { steps, inputs, outputs = [], verification, pruned, doubts, recipe } = workflow
  return {
    title: clip(chooseTitle(source) ?? UNNAMED_TITLE, 160),
    steps: steps.map(({ description, input, source_event_ids }) => ({
      description,
      ...(input === undefined ? {} : { input }),
      event_ids: [...source_event_ids],
    })),
    inputs: inputs.map(({ name, type, example, secret }) => ({
      name,
      type,
      ...(example === undefined || secret === true ? {} : { example }),
    })),
    outputs: outputs.map(({ name }) => name),
    proofs: verification.map(({ text }) => text),
    left_out: pruned.map(({ summary, reason, event_ids }) => ({ summary, reason, event_ids: [...event_ids] })),
    open_points: doubts.map(({ reason }) => reason),
    repeatable: recipe !== undefined,
  }
}
