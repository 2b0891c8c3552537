export function OpsView() {
  return <main class="main" />;
}
