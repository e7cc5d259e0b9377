import type { UiNode } from '../../screen/hierarchy.ts'
import type { EngineRun } from './engine-run.ts'
import { describeNode } from './step-evidence.ts'
import { StepFailure } from './step-failure.ts'

/** Asks the host before anything is done; with the nodes a touch goes to, once for each of them. */
export function assertAdmitted(run: EngineRun, ...nodes: readonly (UiNode | undefined)[]): void {
  const { admit } = run.host
  if (admit === undefined) return
  const targets = [...new Set(nodes.filter((node) => node !== undefined))].map(describeNode)
  for (const target of targets.length === 0 ? [undefined] : targets) {
    const refusal = admit(run.action, target)
    if (refusal !== undefined) throw new StepFailure(refusal.code, refusal.message)
  }
}
