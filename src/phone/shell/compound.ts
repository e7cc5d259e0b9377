import { createFolderView } from '../host/folder-view.ts'
import { ArithmeticError, calculate } from './arithmetic.ts'
import { ShellEnvironment } from './environment.ts'
import { expandPattern, expandWord, expandWords } from './expansion.ts'
import { matchPattern } from './patterns.ts'
import { executeTest, FunctionReturn, LoopExit, setVariable, type Shell } from './shell-state.ts'
import { reportError, type Streams } from './streams.ts'
import type { Command, Condition, Word } from './syntax.ts'
import { testFile, testStrings } from './test-operators.ts'

type Kind<K extends Command['kind']> = Command & { readonly kind: K }

export async function runIf(shell: Shell, { branches, otherwise }: Kind<'if'>, streams: Streams): Promise<number> {
  for (const { test, body } of branches) {
    if ((await executeTest(shell, test, streams)) === 0) return shell.execute(shell, body, streams)
  }
  return otherwise === undefined ? 0 : shell.execute(shell, otherwise, streams)
}

export async function runLoop(shell: Shell, { test, until, body }: Kind<'loop'>, streams: Streams): Promise<number> {
  let code = 0
  while (((await executeTest(shell, test, streams)) === 0) !== until) {
    const outcome = await runBody(shell, body, streams)
    if (outcome === undefined) return 0
    code = outcome
  }
  return code
}

export async function runFor(shell: Shell, { name, words, body }: Kind<'for'>, streams: Streams): Promise<number> {
  const values = words === undefined ? shell.args : await expandWords(words, new ShellEnvironment(shell, streams))
  let code = 0
  for (const value of values) {
    setVariable(shell, name, value)
    const outcome = await runBody(shell, body, streams)
    if (outcome === undefined) return 0
    code = outcome
  }
  return code
}

/** Runs the body of a loop once. Undefined: `break` ended the loop. */
async function runBody(shell: Shell, body: Command, streams: Streams): Promise<number | undefined> {
  try {
    return await shell.execute(shell, body, streams)
  } catch (error) {
    if (!(error instanceof LoopExit)) throw error
    if (error.levels > 1) throw new LoopExit(error.kind, error.levels - 1)
    return error.kind === 'break' ? undefined : 0
  }
}

export async function runCase(shell: Shell, { subject, branches }: Kind<'case'>, streams: Streams): Promise<number> {
  const environment = new ShellEnvironment(shell, streams)
  const text = await expandWord(subject, environment)
  for (const { patterns, body } of branches) {
    for (const pattern of patterns) {
      if (matchPattern(await expandPattern(pattern, environment), text)) return shell.execute(shell, body, streams)
    }
  }
  return 0
}

export async function runFunction(
  shell: Shell,
  { body, args }: { readonly body: Command; readonly args: readonly string[] },
  streams: Streams,
): Promise<number> {
  const outerArgs = shell.args
  shell.budget.enter()
  shell.args = args
  shell.replaced.push(new Map())
  try {
    return await shell.execute(shell, body, streams)
  } catch (error) {
    if (error instanceof FunctionReturn) return error.code
    throw error
  } finally {
    shell.args = outerArgs
    for (const [name, value] of shell.replaced.pop() ?? []) {
      if (value === undefined) shell.variables.delete(name)
      else shell.variables.set(name, value)
    }
    shell.budget.leave()
  }
}

export async function runArithmetic(shell: Shell, expression: Word, streams: Streams): Promise<number> {
  const environment = new ShellEnvironment(shell, streams)
  const text = await expandWord(expression, environment)
  try {
    return calculate(text, environment) === 0 ? 1 : 0
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error
    reportError(streams, `${text}: ${error.message}`)
    return 1
  }
}

/** `[[ ... ]]`. */
export async function runCondition(shell: Shell, test: Condition, streams: Streams): Promise<number> {
  return (await holds(test, new ShellEnvironment(shell, streams))) ? 0 : 1
}

async function holds(test: Condition, environment: ShellEnvironment): Promise<boolean> {
  switch (test.kind) {
    case 'all':
    case 'any':
      for (const part of test.parts) {
        if ((await holds(part, environment)) !== (test.kind === 'all')) return test.kind === 'any'
      }
      return test.kind === 'all'
    case 'not':
      return !(await holds(test.part, environment))
    case 'unary': {
      const { device, folder } = environment.shell
      return testFile(test.operator, await expandWord(test.word, environment), createFolderView(device.files, folder))
    }
    case 'binary': {
      const left = await expandWord(test.left, environment)
      const isPattern = test.operator === '=' || test.operator === '==' || test.operator === '!='
      if (!isPattern) return testStrings(left, test.operator, await expandWord(test.right, environment)) ?? false
      return matchPattern(await expandPattern(test.right, environment), left) === (test.operator !== '!=')
    }
  }
}
