import type { PracticeEnding } from './practice-record.ts'

/** How practices end, apart from proofs and failures of the device. */
export const ENDINGS = {
  cancelled: {
    outcome: 'cancelled',
    summary: 'The practice was stopped before the goal was proven.',
  },
  moved_on: {
    outcome: 'cancelled',
    summary: 'The state of the session changed before the goal was proven.',
  },
  interrupted: {
    outcome: 'interrupted',
    summary: 'The daemon stopped during a proof. What was done on the device is unknown.',
  },
  time: {
    outcome: 'out_of_time',
    summary: 'The time limit was reached before the goal was proven.',
  },
  actions: {
    outcome: 'actions_spent',
    summary: 'The action limit was reached before the goal was proven.',
  },
  not_found: {
    outcome: 'not_found',
    summary: 'All allowed ways were tried, and none led to the goal.',
  },
} as const satisfies Record<string, PracticeEnding>
