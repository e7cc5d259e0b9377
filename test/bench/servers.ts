import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
export const outputFolder = join(root, '.bench')
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const names = ['bare-read', 'bare-transitions', 'subscribers'] as const

/** A program in `servers/`, as built. */
export const serverProgram = (name: (typeof names)[number]): string =>
  join(outputFolder, 'build', 'test', 'bench', 'servers', `${name}.js`)

/** Built by the compiler that builds the daemon: run from source, they would carry a loader the daemon has not. */
export async function buildServers(): Promise<void> {
  const project = join(import.meta.dirname, 'tsconfig.json')
  const child = spawn(process.execPath, [compiler, '-p', project], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  await once(child, 'close')
  const missing = names.filter((name) => !existsSync(serverProgram(name)))
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')}: ${Buffer.concat(said).toString()}`)
}
