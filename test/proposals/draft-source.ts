import type { Demonstration, DemonstratedAction } from '../../src/domain/capture/demonstration.ts'
import type { DraftSource } from '../../src/domain/proposals/draft/draft-source.ts'
import type { StoredSession } from '../../src/store/sessions/learn-sessions.ts'
import { sessionRow } from '../kit/daemon.ts'

const NOW = '2026-03-01T12:00:00.000Z'

export const step = (action_label: string, changes: Partial<DemonstratedAction> = {}): DemonstratedAction => ({
  event_id: `event-${action_label}`,
  adapter_kind: 'wrapper_receipt',
  app_family: 'notes',
  action_label,
  control_surface: 'wrapper_script',
  caused_state_change: true,
  ...changes,
})

export interface SourceParts {
  readonly demonstration?: Partial<Demonstration>
  readonly answers?: DraftSource['answers']
  readonly session?: Partial<StoredSession>
  readonly target_title?: string
}

/** A draft source with fixed ids and a fixed time. */
export function makeDraftSource({ demonstration, answers, session, target_title }: SourceParts): DraftSource {
  return {
    proposal_id: '11111111-1111-4111-8111-111111111111',
    interpretation_id: '22222222-2222-4222-8222-222222222222',
    graph_id: '33333333-3333-4333-8333-333333333333',
    created_at: NOW,
    session: sessionRow('stopped', NOW, {
      learn_session_id: '44444444-4444-4444-8444-444444444444',
      ...session,
    }),
    demonstration: {
      steps: [],
      marks: [],
      goal: undefined,
      source_trace_ids: ['t'],
      ...demonstration,
    },
    answers: answers ?? {},
    target_title,
  }
}
