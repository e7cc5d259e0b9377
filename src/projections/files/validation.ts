import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { listRunLogSince } from '../../store/validation/validation-runs.ts'
import { listStepsSince } from '../../store/validation/validation-steps.ts'
import { logProjection, type Projection } from '../engine/projection.ts'

const runs = logProjection({
  path: 'learning/validation_runs.jsonl',
  rows: (reader, _key, span) => listRunLogSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'validation_run_log', upTo),
  shrinks: () => false,
})

const steps = logProjection({
  path: 'learning/validation_step_results.jsonl',
  rows: (reader, _key, span) => listStepsSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'validation_steps', upTo),
  shrinks: () => false,
})

export const validationProjections: readonly Projection[] = [runs, steps]
