import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin as BuildPlugin } from 'esbuild'
import type { Plugin } from 'vitest/config'

const ROOT = join(import.meta.dirname, '..', '..')
/** Inside the checkout, so that the bundle finds the installed packages. */
const CACHE_FOLDER = join(ROOT, 'node_modules', '.cache', 'apprentice')

/** The bundle of each test file of this run. */
const bundles = new Map<string, string>()

/**
 * Bundles test files with the sources they import, once for all workers. A worker then loads a few hundred files as
 * they are. Otherwise every worker asks for two thousand modules one by one, and each use of an imported name is slower.
 */
export async function bundleTests(files: readonly string[]): Promise<void> {
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const outdir = mkdtempSync(join(CACHE_FOLDER, 'test-bundle-'))
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }))
  await build({
    entryPoints: [...files],
    outdir,
    outbase: ROOT,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    external: listPackages(),
    plugins: [keepSourcePaths],
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
  for (const file of files) bundles.set(file, join(outdir, relative(ROOT, file).replace(/\.ts$/, '.mjs')))
}

/** Loads the bundle in place of a test file. A file without one is transformed by vite. */
export const loadBundledTests: Plugin = {
  name: 'load-bundled-tests',
  enforce: 'pre',
  load: (id) => {
    const bundle = bundles.get(id)
    return bundle === undefined ? undefined : `import ${JSON.stringify(bundle)}`
  },
}

/** Modules find their fixtures beside their source. */
const keepSourcePaths: BuildPlugin = {
  name: 'keep-source-paths',
  setup: (builder) => {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = source
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      return { contents, loader: 'ts' }
    })
  },
}

/** Names of all installed packages except our own, which are part of the bundle. */
function listPackages(): string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    object
  >
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)]
}
