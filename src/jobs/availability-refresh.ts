import { refreshAvailability } from '../domain/abilities/availability.ts'
import type { JobHandler } from './handler.ts'
import type { RunnerDeps } from './runner.ts'

/** Works out what can be used after something changed that no command of its own follows up. */
export function availabilityRefresh({ store, clock, newId }: RunnerDeps): JobHandler {
  return {
    resume: 'rerun',
    run: ({ payload, correlation_id, principal }) =>
      store.write((tx) => {
        const ctx = {
          tx,
          now: clock().toISOString(),
          actor: { kind: 'system' as const, user_id: principal },
          correlation_id,
          newId,
        }
        return refreshAvailability(ctx, (payload as { reason: string }).reason)
      }),
  }
}
