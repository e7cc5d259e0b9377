import { attribute, type UiNode } from '../../screen/tree/hierarchy.ts'
import type { EngineExecution } from './engine-execution.ts'
import { describeNode } from './step-evidence.ts'
import { StepFailure } from './step-failure.ts'

/** Calls `admit` of the host before an action, once for each of the given nodes. Rejects if it refuses. */
export async function assertAdmitted(
  execution: EngineExecution,
  ...nodes: readonly (UiNode | undefined)[]
): Promise<void> {
  const { admit } = execution.host
  if (admit === undefined) return
  const targets = [...new Set(nodes.filter((node) => node !== undefined))].map((node) => ({
    ...describeNode(node),
    package: attribute(node, 'package'),
  }))
  for (const target of targets.length === 0 ? [undefined] : targets) {
    const refusal = await admit(execution.action, target)
    if (refusal !== undefined) throw new StepFailure(refusal.code, refusal.message)
  }
}
