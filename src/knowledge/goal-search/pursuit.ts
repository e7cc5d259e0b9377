import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { Affordance } from './affordances.ts'
import { countShown, evaluateSubGoal } from './evaluate-goal.ts'
import type { Goal, SubGoal } from './goal/goal.ts'
import { listCovered, splitWords } from './goal/words.ts'
import type { PlannedEdit } from './planned-edit.ts'
import type { ScreenContext } from './screen-context.ts'
import type { Stop } from './search.ts'
import { type ClosedWay, sortPlans } from './ways.ts'
import { readLabel } from '../../screen/tree/roles.ts'

/** Where a sub-goal can be reached, or already holds. */
export interface Finding {
  readonly reading: number
  readonly sub_goal: number
  readonly path: readonly Affordance[]
  readonly stops: readonly Stop[]
  /** Empty if the sub-goal already holds there. */
  readonly plans: readonly (readonly PlannedEdit[])[]
}

/** One sub-goal of a proof. Without a plan it already holds, and must hold at the end too. */
export interface ProofTask {
  readonly sub_goal: SubGoal
  readonly path: readonly Affordance[]
  readonly stops: readonly Stop[]
  readonly plan?: readonly PlannedEdit[] | undefined
  /** How often each stop showed the wanted value before the proof. */
  readonly shown: readonly number[]
  readonly finding: Finding
}

/** What is known of each sub-goal of each reading of a goal. */
export class Pursuit {
  readonly #goal: Goal
  readonly #findings: Finding[] = []
  readonly #failed = new Set<string>()
  readonly #shown = new Map<string, number>()
  readonly #seenWords = new Set<string>()

  constructor(goal: Goal) {
    this.#goal = goal
  }

  /** Evaluates all sub-goals on a screen. */
  consider(
    context: ScreenContext,
    { place, path, stops, policy }: PlaceOnPath & { readonly policy: TestPolicy },
  ): { readonly findings: Finding[]; readonly closed: ClosedWay[] } {
    const closed: ClosedWay[] = []
    const findings = this.#listSubGoals().flatMap(({ reading, sub_goal, goal }): Finding[] => {
      this.#shown.set(`${place} ${reading} ${sub_goal}`, countShown(goal, context))
      const status = evaluateSubGoal(goal, context)
      const finding = { reading, sub_goal, path, stops, plans: [] }
      if (status.state === 'unseen') return []
      if (status.state === 'holds')
        return [goal.desired.kind === 'open' && path.length > 0 ? { ...finding, plans: [[]] } : finding]
      const sorted = sortPlans(context.screen, status.plans, policy)
      closed.push(...sorted.closed)
      return sorted.allowed.length === 0 ? [] : [{ ...finding, plans: sorted.allowed }]
    })
    for (const node of context.screen.nodes) for (const word of splitWords(readLabel(node))) this.#seenWords.add(word)
    for (const finding of findings) this.record(finding)
    return { findings, closed }
  }

  record(finding: Finding): void {
    this.#findings.push(finding)
  }

  /** The tasks of the first reading all sub-goals of which were found. Plans that failed are left out. */
  findProof(): readonly ProofTask[] | undefined {
    return this.#goal.readings
      .map((subGoals, reading) => subGoals.map((_, sub_goal) => this.#listTasks(reading, sub_goal)[0]))
      .find((tasks): tasks is ProofTask[] => tasks.every((task) => task !== undefined))
  }

  recordFailure({ finding, plan }: ProofTask): void {
    this.#failed.add(formatPlanKey(finding, plan))
  }

  /** The sub-goals of the preferred reading that were found nowhere. */
  listUnseen(): SubGoal[] {
    return (this.#goal.readings[0] ?? []).filter(
      (_, at) => !this.#findings.some(({ reading, sub_goal }) => reading === 0 && sub_goal === at),
    )
  }

  /** The words of the preferred reading that no screen showed. */
  listUnknownWords(): string[] {
    const words = (this.#goal.readings[0] ?? []).flatMap((one) => one.words)
    const known = new Set(listCovered(words, [...this.#seenWords]))
    return [...new Set(words)].filter((word) => !known.has(word))
  }

  #listSubGoals(): { readonly reading: number; readonly sub_goal: number; readonly goal: SubGoal }[] {
    return this.#goal.readings.flatMap((subGoals, reading) =>
      subGoals.map((goal, sub_goal) => ({ reading, sub_goal, goal })),
    )
  }

  #listTasks(reading: number, at: number): ProofTask[] {
    const sub_goal = this.#goal.readings[reading]?.[at]
    if (sub_goal === undefined) return []
    return this.#findings
      .filter((one) => one.reading === reading && one.sub_goal === at)
      .flatMap((finding): ProofTask[] => {
        const { path, stops, plans } = finding
        const shown = stops.map(({ id }) => this.#shown.get(`${id} ${reading} ${at}`) ?? Number.POSITIVE_INFINITY)
        const task = { sub_goal, path, stops, shown, finding }
        const all: ProofTask[] = plans.length === 0 ? [task] : plans.map((plan) => ({ ...task, plan }))
        return all.filter(({ plan }) => !this.#failed.has(formatPlanKey(finding, plan)))
      })
  }
}

export interface PlaceOnPath {
  readonly place: string
  readonly path: readonly Affordance[]
  readonly stops: readonly Stop[]
}

const formatPlanKey = ({ reading, sub_goal, path }: Finding, plan: ProofTask['plan']): string =>
  JSON.stringify([reading, sub_goal, path.map(({ key }) => key), plan])
