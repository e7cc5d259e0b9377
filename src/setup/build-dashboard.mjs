// Builds the dashboard into dist/dashboard/: hashed files, each with a brotli and a gzip copy.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

const COMPRESSED_TYPES = new Set(['.css', '.html', '.js', '.svg'])

/**
 * The frame of all pages and the first page, with all that they import, are one file: on a slow network each further
 * request costs more than its bytes.
 */
const FIRST_PAGE = { name: 'first', test: /[\\/]dashboard[\\/](?:app|overview)[\\/]/ }

export async function buildDashboard(root) {
  const outDir = join(root, 'dist', 'dashboard')
  await build({
    configFile: false,
    root: join(root, 'src', 'dashboard'),
    publicDir: 'public',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The content policy allows no data: addresses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: ['index.html', 'login.html'].map((name) => join(root, 'src', 'dashboard', name)),
        output: { codeSplitting: { groups: [FIRST_PAGE] } },
      },
    },
  })
  await compressFiles(outDir)
}

async function compressFiles(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const compressed = names
    .filter((name) => COMPRESSED_TYPES.has(extname(name)))
    .map(async (name) => {
      const path = join(folder, name)
      const content = readFileSync(path)
      writeFileSync(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, { params }))
    })
  await Promise.all(compressed)
}
