// Preloaded into a daemon. Kills the process at the moment in `KILL_AT`: `<operation>:<n>`, the n-th time of
//   rename, rm, open  before such a call on a skill folder
//   inside            in the transaction that writes a state of a saga, before it is committed
//   after             right after that transaction is committed
import fs from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { env, kill, pid } from 'node:process'

const [operation, nth] = (env['KILL_AT'] ?? 'never:0').split(':')
let remaining = Number(nth)
let killsAfterCommit = false

const die = () => {
  kill(pid, 'SIGKILL')
  // Blocks until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const isSkill = (path) => /workspace\/skills|learning\/installed/.test(String(path))

if (['rename', 'rm', 'open'].includes(operation)) {
  const own = fs[operation]
  fs[operation] = (...args) => {
    if (isSkill(args[0]) && (remaining -= 1) === 0) die()
    return own(...args)
  }
  syncBuiltinESMExports()
}

if (operation === 'inside' || operation === 'after') {
  const Database = createRequire(import.meta.url)('better-sqlite3')
  const { prepare, transaction } = Database.prototype
  Database.prototype.prepare = function (source) {
    const statement = prepare.call(this, source)
    if (!/(?:INSERT INTO|UPDATE) install_sagas/.test(source)) return statement
    const { run } = statement
    statement.run = (...args) => {
      const done = run.apply(statement, args)
      if ((remaining -= 1) !== 0) return done
      if (operation === 'inside') die()
      killsAfterCommit = true
      return done
    }
    return statement
  }
  Database.prototype.transaction = function (work) {
    const own = transaction.call(this, work)
    const wrapped = (...args) => own(...args)
    wrapped.immediate = (...args) => {
      const done = own.immediate(...args)
      if (killsAfterCommit) die()
      return done
    }
    return wrapped
  }
}
