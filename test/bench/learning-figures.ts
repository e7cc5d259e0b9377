import type { Action } from '@apprentice/contracts/devices/action.ts'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { ObservedTrace } from '../../src/knowledge/steps/observed-step.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { compareToLimit, type Figure, type Measure, median } from './figure.ts'
import { button, open, tap, tapDescribed, times } from './learning-actions.ts'
import { type Lab, type LabAction, type RunOptions, openLab } from './learning-lab.ts'

const CLIMATE = 'org.apprentice.climate'
const SETTINGS = 'com.android.settings'
const STEP_COUNT = 60
const LIMIT_MS = 1000
const ROUNDS = 3
const MAX_OVERHEAD = 1.5
/** A dump takes between 1.2 and 2.3 seconds, so one draw says little. */
const LATENCY_SEEDS = Array.from({ length: 25 }, (_, at) => at + 1)

const changeUnit = (name: string): LabAction[] => [
  tap(name),
  ...times(2, tapDescribed('Warmer')),
  tap('Save'),
  button(1),
]

const LONG_WORKFLOW: readonly LabAction[] = [
  open(CLIMATE),
  ...Array.from({ length: STEP_COUNT }, (_, at) => changeUnit(at % 2 === 0 ? 'Reception' : 'Kitchen')).flat(),
].slice(0, STEP_COUNT)

/** How long the interpretation of a long demonstration takes. */
const interpreting: Figure = {
  name: 'interpret',
  baseline: 'a limit of 1 s of processor time',
  run: async () => {
    const trace = await demonstrate(LONG_WORKFLOW)
    const took = Array.from({ length: ROUNDS }, () => measureInterpretation(trace))
    return [
      compareToLimit(LIMIT_MS, { what: `${trace.steps.length} steps with full trees`, ours: median(took), unit: 'ms' }),
    ]
  },
}

async function demonstrate(actions: readonly LabAction[]): Promise<ObservedTrace> {
  const lab = await openLab()
  try {
    return (await lab.demonstrate(actions)).trace
  } finally {
    await lab.close()
  }
}

/** Milliseconds of processor time, which other programs on the machine do not change much. */
function measureInterpretation(trace: ObservedTrace): number {
  const started = process.cpuUsage()
  interpretTraces([trace], { goal: 'Change the temperature of units', marks: [] })
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

interface Workflow {
  readonly what: string
  readonly goal: string
  readonly actions: readonly LabAction[]
  readonly inputs: Readonly<Record<string, unknown>>
}

const WORKFLOWS: readonly Workflow[] = [
  {
    what: 'a switch',
    goal: 'Turn on dark theme',
    actions: [open(SETTINGS), tap('Display'), tap('Dark theme')],
    inputs: {},
  },
  {
    what: 'an entry of a list',
    goal: "Set a unit's temperature",
    actions: [open(CLIMATE), ...changeUnit('Reception')],
    inputs: { unit: 'Lobby', temperature: 23 },
  },
]

/**
 * How much longer a run takes that reads what is already done and verifies the outcome. The time of the simulated phone
 * is measured, which waits as long for each dump and input as a real one.
 */
const verifying: Figure = {
  name: 'verified run',
  baseline: 'the acting steps of the same recipe alone, on the same phone',
  repeats: 1,
  run: async () => {
    const lab = await openLab()
    try {
      const measures: Measure[] = []
      for (const workflow of WORKFLOWS) measures.push(await compareRuns(lab, workflow))
      return measures
    } finally {
      await lab.close()
    }
  },
}

async function compareRuns(lab: Lab, { what, goal, actions, inputs }: Workflow): Promise<Measure> {
  const { trace } = await lab.demonstrate(actions)
  const { recipe } = interpretTraces([trace], { goal, marks: [] })
  if (recipe === undefined) throw new Error(`The workflow "${goal}" was not learned.`)
  const given = pickInputs(recipe, inputs)
  const ours: number[] = []
  const baseline: number[] = []
  for (const seed of LATENCY_SEEDS) {
    const run = { inputs: given, options: { latency: 'realistic', seed } as const }
    ours.push(await measureRun(lab, recipe, run))
    baseline.push(await measureRun(lab, recipe, { ...run, keep: isActing }))
  }
  const [verified, bare] = [median(ours), median(baseline)]
  const target = { at_most: MAX_OVERHEAD }
  return { what, ours: verified, baseline: bare, unit: 's', ratio: verified / bare, target }
}

async function measureRun(lab: Lab, recipe: Recipe, options: RunOptions): Promise<number> {
  const { envelope, elapsedMs } = await lab.run(recipe, options)
  if (envelope?.status !== 'success') throw new Error(envelope?.error ?? 'The run failed.')
  return elapsedMs / 1000
}

/** The given inputs, and true for each switch. */
const pickInputs = ({ inputs }: Recipe, given: Workflow['inputs']): Workflow['inputs'] =>
  Object.fromEntries(inputs.map(({ name, type }) => [name, given[name] ?? (type === 'boolean' ? true : undefined)]))

const CHECKING_TYPES: ReadonlySet<string> = new Set(['expect', 'wait_for_node', 'scroll_until', 'wait_for_navigation'])

const isActing = ({ id, type }: Action): boolean => !CHECKING_TYPES.has(type) && !id.startsWith('already.')

export const learningFigures: readonly Figure[] = [interpreting, verifying]
