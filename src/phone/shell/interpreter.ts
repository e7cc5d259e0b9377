import { FileError } from '../host/file-tree.ts'
import { runDueTimers } from '../model/tasks.ts'
import { HANGUP_CODE, ShellExit } from './budget.ts'
import { findBuiltin } from './builtins.ts'
import { createCall, findProgram } from './call.ts'
import type { Call, Program } from './command.ts'
import { runArithmetic, runCase, runCondition, runFor, runFunction, runIf, runLoop } from './compound.ts'
import { ShellEnvironment } from './environment.ts'
import { expandWord, expandWords } from './expansion.ts'
import { chain, type MaybePromise } from './maybe-promise.ts'
import { runBackground, runPipe } from './pipes.ts'
import { withRedirects } from './redirects.ts'
import { executeTest, runSubshell, setVariable, type Shell } from './shell-state.ts'
import { reportError, type Streams } from './streams.ts'
import type { Assignment, Command, SimpleCommand } from './syntax.ts'

/** Runs a command. Throws ShellExit, or rejects with it. Runs simple commands without waiting where it can. */
export function execute(shell: Shell, command: Command, streams: Streams): MaybePromise<number> {
  if (streams.signal.aborted) throw new ShellExit(HANGUP_CODE)
  const wait = shell.budget.addStep() ? nextTurn() : shell.drained()
  if (wait !== undefined) return wait.then(() => execute(shell, command, streams))
  return chain(run(shell, command, streams), (code) => {
    shell.lastCode = code
    if (code !== 0 && shell.exitsOnFailure && shell.tests === 0 && FAILING.has(command.kind)) throw new ShellExit(code)
    return code
  })
}

const FAILING = new Set<Command['kind']>(['simple', 'pipe', 'condition', 'arithmetic'])

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function run(shell: Shell, command: Command, streams: Streams): MaybePromise<number> {
  switch (command.kind) {
    case 'simple':
      return runSimple(shell, command, streams)
    case 'sequence':
      return runSequence(shell, command.items, streams)
    case 'chain':
      return runChain(shell, command, streams)
    case 'not':
      return executeTest(shell, command.command, streams).then((code) => (code === 0 ? 1 : 0))
    case 'background':
      return runBackground(shell, command.command, streams)
    case 'pipe':
      return runPipe(shell, command.parts, streams)
    case 'group':
      return (command.subshell ? runSubshell : execute)(shell, command.body, streams)
    case 'redirected':
      return withRedirects(shell, command.redirects, streams, (inner) => execute(shell, command.command, inner))
    case 'if':
      return runIf(shell, command, streams)
    case 'loop':
      return runLoop(shell, command, streams)
    case 'for':
      return runFor(shell, command, streams)
    case 'case':
      return runCase(shell, command, streams)
    case 'function':
      shell.functions.set(command.name, command.body)
      return 0
    case 'condition':
      return runCondition(shell, command.test, streams)
    case 'arithmetic':
      return runArithmetic(shell, command.expression, streams)
  }
}

function runSequence(shell: Shell, items: readonly Command[], streams: Streams): MaybePromise<number> {
  let code = 0
  for (const [at, item] of items.entries()) {
    const outcome = execute(shell, item, streams)
    if (typeof outcome !== 'number') return finishSequence(shell, outcome, { items: items.slice(at + 1), streams })
    code = outcome
  }
  return code
}

async function finishSequence(
  shell: Shell,
  first: Promise<number>,
  { items, streams }: { readonly items: readonly Command[]; readonly streams: Streams },
): Promise<number> {
  let code = await first
  for (const item of items) code = await execute(shell, item, streams)
  return code
}

async function runChain(
  shell: Shell,
  { first, links }: Command & { kind: 'chain' },
  streams: Streams,
): Promise<number> {
  let code = await executeTest(shell, first, streams)
  for (const [index, { when, command }] of links.entries()) {
    if ((code === 0) !== (when === 'success')) continue
    const isLast = index === links.length - 1
    code = await (isLast ? execute : executeTest)(shell, command, streams)
  }
  return code
}

function runSimple(shell: Shell, command: SimpleCommand, streams: Streams): MaybePromise<number> {
  const environment = new ShellEnvironment(shell, streams)
  return chain(expandWords(command.words, environment), ([name, ...args]) =>
    withRedirects(shell, command.redirects, streams, (inner) => {
      if (name === undefined) return assign(shell, command.assignments, environment)
      if (command.assignments.length === 0) return runNamed(shell, [name, ...args], inner)
      return runAssigned(shell, command.assignments, {
        environment,
        run: () => runNamed(shell, [name, ...args], inner),
      })
    }),
  )
}

/** Assigns variables. The exit code is that of the last substitution. */
async function assign(
  shell: Shell,
  assignments: readonly Assignment[],
  environment: ShellEnvironment,
): Promise<number> {
  for (const { name, value, append } of assignments) {
    const text = await expandWord(value, environment)
    const before = append ? (shell.variables.get(name) ?? '') : ''
    if (!setVariable(shell, name, `${before}${text}`)) {
      environment.reportError(`${name}: is read only`)
      throw new ShellExit(2)
    }
  }
  return environment.substitutionCode
}

/** Runs a command with variables that only it sees. */
async function runAssigned(
  shell: Shell,
  assignments: readonly Assignment[],
  {
    environment,
    run: runCommand,
  }: { readonly environment: ShellEnvironment; readonly run: () => MaybePromise<number> },
): Promise<number> {
  const before = assignments.map(({ name }) => [name, shell.variables.get(name), shell.exported.has(name)] as const)
  await assign(shell, assignments, environment)
  for (const { name } of assignments) shell.exported.add(name)
  try {
    return await runCommand()
  } finally {
    for (const [name, value, wasExported] of before.toReversed()) {
      if (value === undefined) shell.variables.delete(name)
      else shell.variables.set(name, value)
      if (!wasExported) shell.exported.delete(name)
    }
  }
}

/** Runs a function, a builtin or a program. */
export function runNamed(shell: Shell, argv: readonly string[], streams: Streams): MaybePromise<number> {
  const [name = '', ...args] = argv
  const body = shell.functions.get(name)
  if (body !== undefined) return runFunction(shell, { body, args }, streams)
  const builtin = findBuiltin(name)
  if (builtin !== undefined) return builtin({ shell, args, streams, runNamed })
  const program = findProgram(shell, name)
  if (typeof program === 'number') {
    reportError(
      streams,
      `${name}: ${program === 126 ? "can't execute: Permission denied" : 'inaccessible or not found'}`,
    )
    return program
  }
  return runProgram(shell, program, createCall(shell, { name, args, runNamed }, streams))
}

function runProgram({ device }: Shell, program: Program, call: Call): MaybePromise<number> {
  const fail = (error: unknown): number => {
    if (!(error instanceof FileError)) throw error
    call.stderr(Buffer.from(`${call.name}: ${error.message}\n`))
    return 1
  }
  runDueTimers(device)
  try {
    const outcome = program(call)
    return chain(outcome instanceof Promise ? outcome.catch(fail) : outcome, (code) => {
      runDueTimers(device)
      return Math.trunc(code) & 0xff
    })
  } catch (error) {
    return fail(error)
  }
}
