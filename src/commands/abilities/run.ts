import { type Command, InvalidArgumentError, Option } from 'commander'
import { OnItemFailure } from '@apprentice/contracts/abilities/run-parts.ts'
import { Capability } from '@apprentice/contracts/recipes/recipe.ts'
import { AmbiguousAbilityError, chooseAbility } from './ability-choice.ts'
import { type AbilityFacts, readAbilityFacts } from './ability-facts.ts'
import { runToEnd } from './ability-run.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { Conversation } from '../terminal/conversation.ts'
import { askForInputs, parseRunArguments } from './run-inputs.ts'
import { parseEach, readItems, type RunItems } from './run-items.ts'
import { toExitCode } from './run-text.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from '../terminal/usage-error.ts'

type RunOptions = ConnectionOptions & {
  readonly serial?: string
  readonly wait?: number
  readonly allow?: readonly Capability[]
  readonly strictCompat?: boolean
  readonly each?: RunItems
  readonly items?: string
  readonly onItemFailure?: OnItemFailure
  readonly timeout?: number
}

export function addRunCommand(program: Command): void {
  withConnection(
    withUsageExitCode(program.command('run <ability...>'))
      .summary('run an ability on a phone')
      .description('Runs an ability on a phone. Its inputs are given as name=value.'),
  )
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--wait <seconds>', 'how long to wait for the outcome (default: no limit)', parseSeconds)
    .option('--allow <capability>', 'permit a risky capability; may be repeated', collectCapability)
    .option('--strict-compat', 'refuse app versions the recipe was not made for')
    .option('--each <name=values>', 'run once for each value, separated by commas', parseEach)
    .option('--items <file>', 'run once for each object of a JSON array of inputs')
    .addOption(
      new Option('--on-item-failure <action>', 'what to do after an item that did not succeed')
        .choices(OnItemFailure.options)
        .default('stop'),
    )
    .option('--timeout <seconds>', 'time limit of the whole run, at most 900', parseSeconds)
    .addHelpText('after', RUN_HELP)
    .action((args: string[], options: RunOptions) => reportUsageFailures(() => run(args, options)))
}

const RUN_HELP = `
<ability> is an id, a slug, a title, or words that match one ability.
With --each or --items the run succeeds only if every item does; inputs given as name=value apply to all items.

Exit codes:
  0  the run succeeded and the outcome was verified on the phone
  1  the run failed or was cancelled
  2  the request was invalid; nothing was done
  3  the outcome is unknown, or the run has not ended yet`

async function run(args: readonly string[], options: RunOptions): Promise<void> {
  const { name, inputs } = parseRunArguments(args)
  if (name === '') throw new UsageError('Name the ability to run.')
  const listOptions = readListOptions(options)
  const call = connect(options)
  const { ability_id, title } = await chooseAbility(call, name).catch((error: unknown) => {
    if (error instanceof AmbiguousAbilityError && options.json === true) {
      printResult(options, { matches: error.matches }, () => '')
    }
    throw error
  })
  const facts = await readAbilityFacts(call, ability_id)
  const say = (line: string) => {
    ;(options.json === true ? process.stderr : process.stdout).write(`${line}\n`)
  }
  say(`${title} (${ability_id})`)
  const interruption = new AbortController()
  process.once('SIGINT', () => interruption.abort())
  const waitMs = options.wait === undefined ? undefined : options.wait * 1000
  const { serial, allow, strictCompat } = options
  const request = { ability_id, inputs, serial, allow, waitMs, strictCompat, ...listOptions }
  const ask = canPrompt(options) ? createInputPrompt(facts) : undefined
  const { run: settled, summary } = await runToEnd(
    { call, options, say, facts, signal: interruption.signal, ask },
    request,
  )
  printResult(options, { run: settled }, () => summary)
  process.exitCode = toExitCode(settled)
}

function readListOptions({ each, items, onItemFailure, timeout }: RunOptions) {
  if (each !== undefined && items !== undefined) throw new UsageError('Use either --each or --items, not both.')
  return {
    items: items === undefined ? each : readItems(items),
    onItemFailure,
    timeoutMs: timeout === undefined ? undefined : Math.round(timeout * 1000),
  }
}

const canPrompt = ({ json }: RunOptions): boolean => process.stdin.isTTY && process.stdout.isTTY && json !== true

const createInputPrompt =
  ({ inputs }: AbilityFacts) =>
  async (missing: readonly string[]) => {
    const conversation = new Conversation()
    try {
      return await askForInputs(conversation, missing, inputs)
    } finally {
      conversation.close()
    }
  }

function parseSeconds(value: string): number {
  const seconds = Number(value)
  if (!Number.isFinite(seconds) || seconds < 0) throw new InvalidArgumentError('Expected a number of seconds.')
  return seconds
}

function collectCapability(value: string, before: readonly Capability[] = []): Capability[] {
  const parsed = Capability.safeParse(value)
  if (!parsed.success) {
    throw new InvalidArgumentError(`Expected one of ${Capability.options.join(', ')}.`)
  }
  return [...before, parsed.data]
}
