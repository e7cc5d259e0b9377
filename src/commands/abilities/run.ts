import { type Command, InvalidArgumentError } from 'commander'
import { Capability } from '@apprentice/contracts/recipes/recipe.ts'
import { AbilityUnclear, chooseAbility } from './ability-choice.ts'
import { type AbilityFacts, readAbilityFacts } from './ability-facts.ts'
import { runToEnd } from './ability-run.ts'
import { connect, type ConnectionOptions, print, withConnection } from '../terminal/connection.ts'
import { Conversation } from '../terminal/conversation.ts'
import { askInputs, readWords } from './run-inputs.ts'
import { exitCodeOf } from './run-words.ts'
import { reportUsage, UsageProblem, withUsageCode } from '../terminal/usage-problem.ts'

type RunOptions = ConnectionOptions & {
  readonly serial?: string
  readonly wait?: number
  readonly allow: readonly Capability[]
  readonly strictCompat?: boolean
}

export function addRunCommand(program: Command): void {
  withConnection(
    withUsageCode(program.command('run <ability...>')).description(
      'run an ability on a phone; add its inputs as name=value',
    ),
  )
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option(
      '--wait <seconds>',
      'how long to wait for the end (default: until it is there)',
      seconds,
    )
    .option('--allow <capability>', 'let it do this, though it may be risky', capability, [])
    .option('--strict-compat', 'only if the app is of a version the recipe was made for')
    .addHelpText('after', runHelp)
    .action((words: string[], options: RunOptions) => reportUsage(() => run(words, options)))
}

const runHelp = `
<ability> is an id, a slug, a title, or words that lead to one ability.
Exit codes: 0 it worked and was seen on the phone, 1 it failed, 3 it is not known whether it worked,
2 it was asked for in a way that cannot be done (nothing was done).`

async function run(words: readonly string[], options: RunOptions): Promise<void> {
  const { name, inputs } = readWords(words)
  if (name === '') throw new UsageProblem('Say which ability to run.')
  const call = connect(options)
  const { ability_id, title } = await chooseAbility(call, name).catch((error: unknown) => {
    if (error instanceof AbilityUnclear && options.json === true) {
      print(options, { matches: error.matches }, () => '')
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
  const order = { ability_id, inputs, serial, allow, waitMs, strictCompat }
  const ask = canAsk(options) ? asking(facts) : undefined
  const { run: ended, words: outcome } = await runToEnd(
    { call, options, say, facts, signal: interruption.signal, ask },
    order,
  )
  print(options, { run: ended }, () => outcome)
  process.exitCode = exitCodeOf(ended)
}

const canAsk = ({ json }: RunOptions): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && json !== true

const asking =
  ({ inputs }: AbilityFacts) =>
  async (missing: readonly string[]) => {
    const talk = new Conversation()
    try {
      return await askInputs(talk, missing, inputs)
    } finally {
      talk.close()
    }
  }

function seconds(value: string): number {
  const read = Number(value)
  if (!Number.isFinite(read) || read < 0) throw new InvalidArgumentError('It takes seconds.')
  return read
}

function capability(value: string, before: readonly Capability[]): Capability[] {
  const read = Capability.safeParse(value)
  if (!read.success) {
    throw new InvalidArgumentError(`It takes one of ${Capability.options.join(', ')}.`)
  }
  return [...before, read.data]
}
