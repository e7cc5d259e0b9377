import { NOTHING_SHOWS_IT, type QuestionChoice } from '@apprentice/contracts/learn/proposal.ts'
import { proposeElements } from '../../knowledge/interpret/prove/pointed-elements.ts'
import type { LearnedWorkflow } from '../../knowledge/interpret/draft/workflow.ts'
import type { ProofCandidate } from '../../knowledge/interpret/read/element-ref.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import type { DraftSource } from './draft-source.ts'

const NOTHING: QuestionChoice = { choice_id: NOTHING_SHOWS_IT, label: 'Nothing on the screen shows it' }

/** The elements that may show the outcome, best first, and the choice that none of them does. */
export function listProofChoices({ runs = [] }: DraftSource, workflow: LearnedWorkflow): QuestionChoice[] {
  const proposed = workflow.proof_candidates ?? []
  const candidates = proposed.length > 0 ? proposed : proposeElements(runs)
  const steps = new Map(runs.flatMap((run) => run.steps).map((step) => [step.event_id, step]))
  const toChoice = ({ candidate_id, event_id, node_path, text }: ProofCandidate): QuestionChoice => {
    const step = steps.get(event_id)
    const bounds = step?.after?.nodes.find(({ path }) => path === node_path)?.bounds
    return {
      choice_id: candidate_id,
      label: clip(text, 240),
      event_id,
      node_path,
      ...(step?.after_ref !== undefined && { evidence_ref: step.after_ref }),
      ...(bounds && { bounds: { left: bounds.left, top: bounds.top, right: bounds.right, bottom: bounds.bottom } }),
    }
  }
  return [...candidates.map(toChoice), NOTHING]
}
