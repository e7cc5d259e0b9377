// Preloaded into a daemon. A moment is `<operation>:<n>`, the n-th time of
//   rename, rm, open  before such a call on a skill folder
//   inside            in the transaction that writes a row of a table in `KILL_TABLES`, before it is committed
//   after             right after that transaction is committed
// At the moment in `KILL_AT` the process is killed. At each of the moments in `COPY_AT` the home is copied to a folder
// of this name in `COPY_TO`: the process does nothing meanwhile, so the copy is what a kill would leave.
import { cpSync } from 'node:fs'
import fs from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { env, kill, pid } from 'node:process'

/** Default: the states of a saga. */
const written = new RegExp(`(?:INSERT INTO|UPDATE) (?:${env['KILL_TABLES'] ?? 'install_sagas'})\\b`)
const copiedMoments = new Set(env['COPY_AT']?.split(','))
const counts = new Map()

/** Counts an operation and returns its moment. */
const count = (operation) => {
  const n = (counts.get(operation) ?? 0) + 1
  counts.set(operation, n)
  return `${operation}:${n}`
}

const reach = (moment) => {
  if (copiedMoments.has(moment)) {
    cpSync(env['APPRENTICE_HOME'], join(env['COPY_TO'], moment), { recursive: true, preserveTimestamps: true })
  }
  if (moment !== env['KILL_AT']) return
  kill(pid, 'SIGKILL')
  // Blocks until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const isSkill = (path) => /workspace\/skills|learning\/installed/.test(String(path))

for (const operation of ['rename', 'rm', 'open']) {
  const own = fs[operation]
  fs[operation] = (...args) => {
    if (isSkill(args[0])) reach(count(operation))
    return own(...args)
  }
}
syncBuiltinESMExports()

const Database = createRequire(import.meta.url)('better-sqlite3')
const { prepare, transaction } = Database.prototype
/** Moments that are reached when the open transaction is committed. */
let afterCommit = []

Database.prototype.prepare = function (source) {
  const statement = prepare.call(this, source)
  if (!written.test(source)) return statement
  const { run } = statement
  statement.run = (...args) => {
    const done = run.apply(statement, args)
    reach(count('inside'))
    afterCommit.push(count('after'))
    return done
  }
  return statement
}

Database.prototype.transaction = function (work) {
  const own = transaction.call(this, work)
  const wrapped = (...args) => own(...args)
  wrapped.immediate = (...args) => {
    const done = own.immediate(...args)
    const moments = afterCommit
    afterCommit = []
    for (const moment of moments) reach(moment)
    return done
  }
  return wrapped
}
