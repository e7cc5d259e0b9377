#!/usr/bin/env node
// The build copies this file to dist/main.js. It runs the program with the compiled code that the build stored beside
// it, because compiling takes a third of the start. Node ignores code that another version compiled, and compiles anew.
// Commands of clients have a program of their own, a quarter of the size of the whole one.
import { readFileSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'

const args = process.argv.slice(2)
if (args[0] === 'serve' || !load('client.cjs').runClientCommand(args)) load('program.cjs')

function load(name) {
  const file = fileURLToPath(new URL(name, import.meta.url))
  const cacheFile = `${file}.cache`
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), {
    filename: file,
    cachedData: readCache(cacheFile),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  if (process.env['APPRENTICE_CODE_CACHE'] === 'write') {
    process.on('exit', () => writeFileSync(cacheFile, script.createCachedData()))
  }
  const program = { exports: {} }
  script.runInThisContext()(program.exports, createRequire(file), program, file, dirname(file))
  return program.exports
}

function readCache(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
