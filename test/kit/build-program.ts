import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import type { WhenOver } from './phone-of-the-run.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Inside the checkout, so that a program finds the installed packages. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'apprentice')

/** Builds a program of the tests. Compiling hundreds of modules at each start takes longer than most programs run. */
export async function buildTestProgram(file: string, whenOver: WhenOver = onTestFinished): Promise<string> {
  mkdirSync(FOLDER, { recursive: true })
  const folder = mkdtempSync(join(FOLDER, 'test-program-'))
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, basename(file).replace(/\.ts$/, '.mjs'))
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object }
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    external: Object.keys(dependencies),
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  return outfile
}
