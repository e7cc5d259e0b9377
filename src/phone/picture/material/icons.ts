import alarmClock from 'lucide/dist/esm/icons/alarm-clock.mjs'
import arrowBigUp from 'lucide/dist/esm/icons/arrow-big-up.mjs'
import arrowLeft from 'lucide/dist/esm/icons/arrow-left.mjs'
import backspace from 'lucide/dist/esm/icons/delete.mjs'
import battery from 'lucide/dist/esm/icons/battery.mjs'
import bell from 'lucide/dist/esm/icons/bell.mjs'
import bluetooth from 'lucide/dist/esm/icons/bluetooth.mjs'
import bookOpen from 'lucide/dist/esm/icons/book-open.mjs'
import bookmark from 'lucide/dist/esm/icons/bookmark.mjs'
import building from 'lucide/dist/esm/icons/building.mjs'
import calculator from 'lucide/dist/esm/icons/calculator.mjs'
import calendar from 'lucide/dist/esm/icons/calendar.mjs'
import camera from 'lucide/dist/esm/icons/camera.mjs'
import car from 'lucide/dist/esm/icons/car.mjs'
import chartColumn from 'lucide/dist/esm/icons/chart-column.mjs'
import check from 'lucide/dist/esm/icons/check.mjs'
import chevronDown from 'lucide/dist/esm/icons/chevron-down.mjs'
import chevronLeft from 'lucide/dist/esm/icons/chevron-left.mjs'
import chevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import chevronUp from 'lucide/dist/esm/icons/chevron-up.mjs'
import circleQuestionMark from 'lucide/dist/esm/icons/circle-question-mark.mjs'
import clock from 'lucide/dist/esm/icons/clock.mjs'
import cloudSun from 'lucide/dist/esm/icons/cloud-sun.mjs'
import copy from 'lucide/dist/esm/icons/copy.mjs'
import cornerDownLeft from 'lucide/dist/esm/icons/corner-down-left.mjs'
import creditCard from 'lucide/dist/esm/icons/credit-card.mjs'
import cross from 'lucide/dist/esm/icons/x.mjs'
import download from 'lucide/dist/esm/icons/download.mjs'
import ellipsisVertical from 'lucide/dist/esm/icons/ellipsis-vertical.mjs'
import fileText from 'lucide/dist/esm/icons/file-text.mjs'
import folder from 'lucide/dist/esm/icons/folder.mjs'
import globe from 'lucide/dist/esm/icons/globe.mjs'
import headphones from 'lucide/dist/esm/icons/headphones.mjs'
import heart from 'lucide/dist/esm/icons/heart.mjs'
import house from 'lucide/dist/esm/icons/house.mjs'
import image from 'lucide/dist/esm/icons/image.mjs'
import info from 'lucide/dist/esm/icons/info.mjs'
import layoutGrid from 'lucide/dist/esm/icons/layout-grid.mjs'
import listFilter from 'lucide/dist/esm/icons/list-filter.mjs'
import listTodo from 'lucide/dist/esm/icons/list-todo.mjs'
import lock from 'lucide/dist/esm/icons/lock.mjs'
import mail from 'lucide/dist/esm/icons/mail.mjs'
import mapPin from 'lucide/dist/esm/icons/map-pin.mjs'
import menu from 'lucide/dist/esm/icons/menu.mjs'
import messageSquare from 'lucide/dist/esm/icons/message-square.mjs'
import mic from 'lucide/dist/esm/icons/mic.mjs'
import minus from 'lucide/dist/esm/icons/minus.mjs'
import moon from 'lucide/dist/esm/icons/moon.mjs'
import notebookPen from 'lucide/dist/esm/icons/notebook-pen.mjs'
import pause from 'lucide/dist/esm/icons/pause.mjs'
import pencil from 'lucide/dist/esm/icons/pencil.mjs'
import phone from 'lucide/dist/esm/icons/phone.mjs'
import pin from 'lucide/dist/esm/icons/pin.mjs'
import plane from 'lucide/dist/esm/icons/plane.mjs'
import play from 'lucide/dist/esm/icons/play.mjs'
import plus from 'lucide/dist/esm/icons/plus.mjs'
import power from 'lucide/dist/esm/icons/power.mjs'
import refreshCw from 'lucide/dist/esm/icons/refresh-cw.mjs'
import search from 'lucide/dist/esm/icons/search.mjs'
import settings from 'lucide/dist/esm/icons/settings.mjs'
import share2 from 'lucide/dist/esm/icons/share-2.mjs'
import shoppingBag from 'lucide/dist/esm/icons/shopping-bag.mjs'
import shoppingCart from 'lucide/dist/esm/icons/shopping-cart.mjs'
import smartphone from 'lucide/dist/esm/icons/smartphone.mjs'
import star from 'lucide/dist/esm/icons/star.mjs'
import sun from 'lucide/dist/esm/icons/sun.mjs'
import tag from 'lucide/dist/esm/icons/tag.mjs'
import thermometer from 'lucide/dist/esm/icons/thermometer.mjs'
import trainFront from 'lucide/dist/esm/icons/train-front.mjs'
import trash from 'lucide/dist/esm/icons/trash.mjs'
import undo2 from 'lucide/dist/esm/icons/undo-2.mjs'
import upload from 'lucide/dist/esm/icons/upload.mjs'
import user from 'lucide/dist/esm/icons/user.mjs'
import users from 'lucide/dist/esm/icons/users.mjs'
import utensils from 'lucide/dist/esm/icons/utensils.mjs'
import video from 'lucide/dist/esm/icons/video.mjs'
import volume2 from 'lucide/dist/esm/icons/volume-2.mjs'
import wifi from 'lucide/dist/esm/icons/wifi.mjs'

/** The icons of the phone, with the words that stand for them in app documents. */
const ICONS = {
  back: { nodes: arrowLeft, words: '< up back zurück' },
  next: { nodes: chevronRight, words: '> next weiter' },
  previous: { nodes: chevronLeft, words: 'previous' },
  search: { nodes: search, words: 'search find suche' },
  add: { nodes: plus, words: '+ add new create plus neu hinzu' },
  remove: { nodes: minus, words: '- minus fewer' },
  delete: { nodes: trash, words: 'delete trash bin löschen' },
  edit: { nodes: pencil, words: 'edit rename compose write bearbeiten' },
  close: { nodes: cross, words: 'x close clear dismiss cancel schließen' },
  more: { nodes: ellipsisVertical, words: 'more options overflow' },
  menu: { nodes: menu, words: 'menu drawer' },
  settings: { nodes: settings, words: 'setting settings preferences einstellung' },
  share: { nodes: share2, words: 'share teilen' },
  star: { nodes: star, words: 'star favorite favourite rating' },
  heart: { nodes: heart, words: 'heart like health' },
  bookmark: { nodes: bookmark, words: 'bookmark saved' },
  check: { nodes: check, words: 'check done ok apply save' },
  mail: { nodes: mail, words: 'mail e-mail inbox' },
  message: { nodes: messageSquare, words: 'message messages chat sms nachricht' },
  call: { nodes: phone, words: 'call phone dial anruf telefon' },
  camera: { nodes: camera, words: 'camera kamera scan' },
  image: { nodes: image, words: 'image photo photos picture gallery foto fotos' },
  alarm: { nodes: alarmClock, words: 'alarm wecker' },
  clock: { nodes: clock, words: 'clock time timer uhr' },
  calendar: { nodes: calendar, words: 'calendar date appointment kalender termin' },
  map: { nodes: mapPin, words: 'map maps location place karte ort' },
  music: { nodes: headphones, words: 'music song player audio musik' },
  video: { nodes: video, words: 'video movie film tv' },
  file: { nodes: fileText, words: 'file files document documents report dateien' },
  note: { nodes: notebookPen, words: 'note notes memo notizen' },
  folder: { nodes: folder, words: 'folder archive ordner' },
  wifi: { nodes: wifi, words: 'wifi wi-fi wlan internet' },
  bluetooth: { nodes: bluetooth, words: 'bluetooth' },
  battery: { nodes: battery, words: 'battery akku' },
  bell: { nodes: bell, words: 'bell notification notifications reminder' },
  home: { nodes: house, words: 'home house start' },
  user: { nodes: user, words: 'user account profile person contact konto kontakt kontakte' },
  users: { nodes: users, words: 'users people group team contacts' },
  lock: { nodes: lock, words: 'lock security privacy password' },
  display: { nodes: sun, words: 'sun brightness display light' },
  moon: { nodes: moon, words: 'moon night dark sleep' },
  climate: { nodes: thermometer, words: 'climate temperature heating thermostat klima heizung' },
  cart: { nodes: shoppingCart, words: 'cart basket warenkorb' },
  shop: { nodes: shoppingBag, words: 'shop store order orders market laden' },
  portal: { nodes: building, words: 'portal company office work bank' },
  download: { nodes: download, words: 'download' },
  upload: { nodes: upload, words: 'upload send' },
  refresh: { nodes: refreshCw, words: 'refresh reload sync repeat' },
  filter: { nodes: listFilter, words: 'filter sort' },
  mic: { nodes: mic, words: 'mic voice record' },
  volume: { nodes: volume2, words: 'volume sound ton klang' },
  play: { nodes: play, words: 'play' },
  pause: { nodes: pause, words: 'pause' },
  globe: { nodes: globe, words: 'globe browser web chrome language sprache' },
  calculator: { nodes: calculator, words: 'calculator rechner' },
  weather: { nodes: cloudSun, words: 'weather wetter forecast' },
  info: { nodes: info, words: 'info about über' },
  help: { nodes: circleQuestionMark, words: 'help support hilfe ?' },
  chart: { nodes: chartColumn, words: 'chart stats statistics usage fitness steps' },
  card: { nodes: creditCard, words: 'card cards payment wallet pay money expense expenses' },
  car: { nodes: car, words: 'car drive parking taxi ride' },
  train: { nodes: trainFront, words: 'train transit ticket tickets bus bahn' },
  plane: { nodes: plane, words: 'plane flight travel trip' },
  book: { nodes: bookOpen, words: 'book read library' },
  food: { nodes: utensils, words: 'food restaurant recipe recipes kitchen essen' },
  tag: { nodes: tag, words: 'tag label price offer' },
  list: { nodes: listTodo, words: 'list task tasks todo checklist habit habits aufgaben' },
  pin: { nodes: pin, words: 'pin' },
  copy: { nodes: copy, words: 'copy duplicate' },
  power: { nodes: power, words: 'power' },
  apps: { nodes: layoutGrid, words: 'apps launcher grid' },
  undo: { nodes: undo2, words: 'undo revert' },
  device: { nodes: smartphone, words: 'device tablet' },
  backspace: { nodes: backspace, words: 'backspace' },
  shift: { nodes: arrowBigUp, words: 'shift' },
  enter: { nodes: cornerDownLeft, words: 'enter' },
  up: { nodes: chevronUp, words: 'collapse' },
  down: { nodes: chevronDown, words: 'dropdown expand' },
}

export type IconName = keyof typeof ICONS

const NAMES_BY_WORD = new Map<string, IconName>(
  (Object.keys(ICONS) as IconName[]).flatMap((name) =>
    ICONS[name].words.split(' ').map((word) => [word, name] as const),
  ),
)

/** Finds the icon for the words of an image. Undefined if no word is known. */
export function findIcon(words: string): IconName | undefined {
  for (const word of words.toLowerCase().split(/[\s/,.:_]+/)) {
    const name = NAMES_BY_WORD.get(word) ?? NAMES_BY_WORD.get(word.replaceAll('-', ''))
    if (name !== undefined) return name
  }
  return undefined
}

const PATHS = new Map<IconName, readonly string[]>()

/** The lines of an icon as SVG paths in a square of 24 units. */
export function listIconPaths(name: IconName): readonly string[] {
  const known = PATHS.get(name)
  if (known !== undefined) return known
  const paths = ICONS[name].nodes.map(([tag, attributes]) =>
    toPath(tag, (key) => Number(attributes[key] ?? 0), attributes),
  )
  PATHS.set(name, paths)
  return paths
}

type Attributes = Readonly<Record<string, string | number>>

function toPath(tag: string, read: (key: string) => number, attributes: Attributes): string {
  switch (tag) {
    case 'circle':
      return formatEllipse(read('cx'), read('cy'), read('r'), read('r'))
    case 'ellipse':
      return formatEllipse(read('cx'), read('cy'), read('rx'), read('ry'))
    case 'line':
      return `M${read('x1')} ${read('y1')}L${read('x2')} ${read('y2')}`
    case 'rect':
      return formatRectangle(read)
    case 'polyline':
      return `M${attributes['points']}`
    case 'polygon':
      return `M${attributes['points']}Z`
    default:
      return String(attributes['d'] ?? '')
  }
}

function formatEllipse(x: number, y: number, rx: number, ry: number): string {
  return `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`
}

function formatRectangle(read: (key: string) => number): string {
  const [width, height, r] = [read('width'), read('height'), Math.max(read('rx'), read('ry'))]
  const [w, h] = [width - 2 * r, height - 2 * r]
  const corner = (x: number, y: number): string => `a${r} ${r} 0 0 1 ${x} ${y}`
  const sides = [`h${w}${corner(r, r)}`, `v${h}${corner(-r, r)}`, `h${-w}${corner(-r, -r)}`, `v${-h}${corner(r, -r)}`]
  return `M${read('x') + r} ${read('y')}${sides.join('')}Z`
}
