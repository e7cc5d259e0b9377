import type { Instrumentation } from './instrumentation.ts'
import { runSnapshotHelper } from './snapshot-helper.ts'

/** What the known instrumentations do, by class. */
export const HELPER_INSTRUMENTATIONS: Readonly<Record<string, Instrumentation>> = {
  'com.callstack.agentdevice.snapshothelper.SnapshotInstrumentation': runSnapshotHelper,
}
