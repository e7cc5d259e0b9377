#!/usr/bin/env node
// The build copies this file to dist/main.js. It runs program.cjs with the compiled code that the build stored beside
// it, because compiling takes a third of the start. Node ignores code that another version compiled, and compiles anew.
import { readFileSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'

const file = fileURLToPath(new URL('program.cjs', import.meta.url))
const cacheFile = `${file}.cache`
const program = { exports: {} }

const script = new Script(Module.wrap(readFileSync(file, 'utf8')), {
  filename: file,
  cachedData: readCache(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
if (process.env['APPRENTICE_CODE_CACHE'] === 'write') {
  process.on('exit', () => writeFileSync(cacheFile, script.createCachedData()))
}
script.runInThisContext()(program.exports, createRequire(file), program, file, dirname(file))

function readCache() {
  try {
    return readFileSync(cacheFile)
  } catch {
    return undefined
  }
}
