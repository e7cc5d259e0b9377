import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}
export const outputFolder = join(root, '.bench')
const outdir = join(outputFolder, 'build')
const SERVER_NAMES = ['bare-read', 'bare-transitions', 'subscribers'] as const

/** The path of a built program from `servers/`. */
export const getServerProgram = (name: (typeof SERVER_NAMES)[number]): string => join(outdir, `${name}.js`)

/** Builds the programs like the daemon, so that they run without a loader. */
export async function buildServers(): Promise<void> {
  await build({
    entryPoints: SERVER_NAMES.map((name) => join(import.meta.dirname, 'servers', `${name}.ts`)),
    outdir,
    bundle: true,
    // Our workspace packages are bundled; installed packages are not.
    external: Object.keys(dependencies),
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
}
