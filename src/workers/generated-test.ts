import { spawn } from 'node:child_process'

const TIMEOUT_MS = 20_000
const MAX_OUTPUT = 200_000

/** Node names its permission model differently from version to version. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission'

/**
 * Runs the test of a generated script in a process that may neither read files nor start programs. Returns the names of
 * the tests that failed, or what went wrong.
 */
export function runGeneratedTest(program: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PERMISSION, '--no-warnings', '--input-type=module', '-'], {
      env: {},
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (text: Buffer): void => {
      if (output.length < MAX_OUTPUT) output += text.toString('utf8')
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => resolve([`The test could not be started: ${error.message}`]))
    child.on('close', (code) => resolve(code === 0 ? [] : listFailed(output, code)))
    // A process that ends before it has read its program closes the pipe.
    child.stdin.on('error', () => undefined)
    child.stdin.end(program)
  })
}

const FAILED = 'not ok '

function listFailed(output: string, code: number | null): string[] {
  const failed = output
    .split('\n')
    .filter((line) => line.startsWith(FAILED))
    .map((line) => line.slice(line.indexOf(' - ') + ' - '.length).slice(0, 200))
  return failed.length > 0 ? failed : [`The test ended with ${code ?? 'a timeout'}.`]
}
