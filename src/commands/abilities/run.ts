import { type Command, InvalidArgumentError } from 'commander'
import { Capability } from '@apprentice/contracts/recipes/recipe.ts'
import { AmbiguousAbilityError, chooseAbility } from './ability-choice.ts'
import { type AbilityFacts, readAbilityFacts } from './ability-facts.ts'
import { runToEnd } from './ability-run.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { Conversation } from '../terminal/conversation.ts'
import { askForInputs, parseRunArguments } from './run-inputs.ts'
import { toExitCode } from './run-text.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from '../terminal/usage-error.ts'

type RunOptions = ConnectionOptions & {
  readonly serial?: string
  readonly wait?: number
  readonly allow?: readonly Capability[]
  readonly strictCompat?: boolean
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
    .addHelpText('after', RUN_HELP)
    .action((args: string[], options: RunOptions) => reportUsageFailures(() => run(args, options)))
}

const RUN_HELP = `
<ability> is an id, a slug, a title, or words that match one ability.

Exit codes:
  0  the run succeeded and the outcome was verified on the phone
  1  the run failed or was cancelled
  2  the request was invalid; nothing was done
  3  the outcome is unknown, or the run has not ended yet`

async function run(args: readonly string[], options: RunOptions): Promise<void> {
  const { name, inputs } = parseRunArguments(args)
  if (name === '') throw new UsageError('Name the ability to run.')
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
  const request = { ability_id, inputs, serial, allow, waitMs, strictCompat }
  const ask = canPrompt(options) ? createInputPrompt(facts) : undefined
  const { run: settled, summary } = await runToEnd(
    { call, options, say, facts, signal: interruption.signal, ask },
    request,
  )
  printResult(options, { run: settled }, () => summary)
  process.exitCode = toExitCode(settled)
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
