"""What the doctor finds in the scripts of `tests/doctor`, for test_doctor.py."""

# script: [(kind, line, words of what was found, words of the reason or the cure)]
FINDINGS = {
    "no_gradient_detached": [
        ("no-gradient", "code = encoder(x).detach()", "`encoder.weight`, `encoder.bias` never",
         "detach() gives the numbers of `encoder(x)`"),
    ],
    "no_gradient_several_on_a_line": [
        ("no-gradient", "code = torch.tensor(encoder(x).tolist())", "`encoder.weight`",
         "tolist() gives a list of plain numbers"),
    ],
    "no_gradient_unused_layer": [
        ("no-gradient", "loss = net(torch.randn(8, 4)).pow(2).mean()", "`net.forgotten.weight`",
         "`net.forgotten` (Linear) was never called"),
    ],
    "no_gradient_two_reasons": [
        ("no-gradient", "code = torch.tanh(code)", "`net.encoder.weight`, `net.encoder.bias`",
         "no_grad() is on for this block"),
        ("no-gradient", "loss = net(torch.randn(8, 4)).pow(2).mean()", "`net.forgotten.weight`",
         "`net.forgotten` (Linear) was never called"),
    ],
    "no_gradient_elsewhere": [
        ("no-gradient", "h = h.detach()", "`net.0.weight`, `net.0.bias`, "
         "`net.1.blocks.0.linear.weight`, `net.1.blocks.0.linear.bias` and 2 more never got",
         "use `h` instead of `h.detach()`"),
    ],
    "no_gradient_copied_rows": [
        ("no-gradient", "return self.decoder(torch.tensor(rows))", "`net.encoder.weight`",
         "use `torch.stack([torch.stack(row) for row in rows])`"),
    ],
    "no_gradient_of_an_actor": [
        ("no-gradient", "action = actor(state)", "`actor.0.weight`, `actor.0.bias`, "
         "`actor.2.weight`, `actor.2.bias` never", "no_grad() is on for this block"),
    ],
    "no_gradient_of_a_sample": [
        ("no-gradient", "z = q.sample()", "`net.encoder.weight`", "`q.rsample()`"),
    ],
    "no_gradient_checkpoint": [
        ("no-gradient", "h = checkpoint(body, x, use_reentrant=True)", "`body.0.weight`",
         "none of its inputs requires grad"),
    ],
    "no_gradient_behind_a_function": [
        ("no-gradient", 'steps = {"encode": encoder, "cut": lambda h: h.detach(), '
         '"decode": decoder}', "`encoder.weight`, `encoder.bias` never", "leave out detach() here"),
    ],
    "not_in_optimizer": [
        ("not-in-optimizer", "loss = net(torch.randn(8, 4)).pow(2).mean()",
         "`net.0.weight`, `net.0.bias` got gradients",
         "give the optimizer all of model.parameters()"),
    ],
    "not_in_optimizer_plain_list": [
        ("not-in-optimizer", "x = torch.tanh(layer(x))",
         "the layer Linear(in_features=4, out_features=4, bias=True) got",
         "`self.layers = nn.ModuleList(...)` in __init__() of Net"),
    ],
    "not_cleared": [
        ("not-cleared", "loss.backward()", "added its gradients to those", "zero_grad()"),
    ],
    "not_cleared_by_hand": [
        ("not-cleared", "loss.backward()", "added its gradients to those", "set `.grad = None`"),
    ],
    "retained": [
        ("retained", "loss.backward(retain_graph=True)", "nobody went through it again",
         "leave out retain_graph=True"),
    ],
    "growing_sum": [
        ("growing", "total = total + loss", "`total` holds them",
         "`total = total + loss.item()`"),
    ],
    "growing_list": [
        ("growing", "self.losses.append(loss)", "losses` holds them",
         "self.losses.append(loss.item())`"),
    ],
    "growing_dict": [
        ("growing", 'history["train"].append(loss)', "`history` holds them",
         "append(loss.item())`"),
    ],
    "growing_dict_in_a_list": [
        ("growing", 'outputs.append({"loss": loss, "n": 8})', "`outputs` holds them",
         "`outputs.append({'loss': loss.item(), 'n': 8})`"),
    ],
    "growing_in_a_hook": [
        ("growing", 'seen.setdefault("hidden", []).append(output)', "`seen` holds them",
         "append(output.detach())`"),
    ],
    "growing_lstm": [
        ("growing", "out, hidden = lstm(torch.randn(4, 2), hidden)", "`hidden` holds them",
         "`hidden = tuple(h.detach() for h in hidden)`"),
    ],
    "growing_hidden_state": [
        ("growing", "h = torch.tanh(W @ h)", "`h` holds them", "`h = h.detach()`"),
    ],
    "growing_create_graph": [
        ("growing", "loss.backward(create_graph=True)", ".grad` holds them",
         ".grad = None` after use"),
    ],
    "evaluation": [
        ("evaluation-recorded", "out = net(torch.randn(8, 4))", "in eval() mode 2 times",
         "with torch.no_grad():"),
    ],
    "evaluation_in_training_mode": [
        ("evaluation-recorded",
         "right += (net(torch.randn(8, 4)).argmax(1) == labels).sum().item()",
         "outside of training 3 times", "with torch.no_grad():"),
    ],
    "evaluation_with_dropout": [
        ("evaluation-recorded", "total += net(torch.randn(8, 4)).pow(2).mean().item()",
         "outside of training 4 times", "and call eval() before it"),
    ],
    "measured_in_training_mode": [
        ("measured-in-training-mode", "right += (net(inputs).argmax(1) == wanted).sum().item()",
         "evaluated in training mode 8 times", "call `net.eval()` before"),
        ("measured-in-training-mode", "scores = model(inputs)", "evaluated in training mode 4",
         "call `net.eval()` before"),
    ],
    "left_in_eval": [
        ("left-in-eval", "loss = net(torch.randn(8, 4)).pow(2).mean()",
         "the last 8 of 12 passes trained the network in eval() mode", "call train()"),
    ],
    "frozen_batch_norm": [
        ("frozen-batch-norm", "loss = net(torch.randn(8, 4)).pow(2).mean()",
         "`net.1` was frozen in eval() mode, and is in training mode",
         "after every train() of the whole"),
    ],
    "applied_twice_softmax": [
        ("applied-twice", "loss = nn.CrossEntropyLoss()(net(x), labels)", "softmax is applied "
         "twice: to the output in `net.1` and", "leave out the softmax before the loss"),
    ],
    "applied_twice_sigmoid": [
        ("applied-twice", "loss = nn.functional.binary_cross_entropy_with_logits(net(x), labels)",
         "sigmoid is applied twice", "leave out the sigmoid before the loss"),
    ],
    "applied_twice_behind_a_squeeze": [
        ("applied-twice", "loss = nn.BCEWithLogitsLoss()(net(x), (x[:, 0] > 0).float())",
         "applied_twice_behind_a_squeeze.py:13 and once more inside of the loss",
         "leave out the sigmoid before the loss"),
    ],
    "relu_before_loss": [
        ("relu-before-loss", "loss = nn.CrossEntropyLoss()(net(x), labels)",
         "relu is applied to the scores of a cross entropy, at",
         "leave out the relu after the last layer"),
    ],
    "applied_twice_nll": [
        ("no-log-softmax", "loss = nn.NLLLoss()(net(x), labels)", "nll_loss() was given numbers "
         "above 0", "log_softmax() as the last layer"),
    ],
    "spread_target": [
        ("spread-target", "loss = ((net(x) - y) ** 2).mean()", "the output has the shape (8, 1) "
         "and `y` (8,): their difference is (8, 8)", ".unsqueeze(1)` on `y`"),
    ],
    "spread_target_of_a_loss": [
        ("spread-target", "loss = nn.MSELoss()(net(x), y)", "the output has the shape (8, 1) and "
         "the target (8,)", "give both the same shape"),
    ],
    "clipped_first": [
        ("clipped-too-early", "torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)",
         "there is no gradient to clip in 2 parameters", "backward(), clip_grad"),
    ],
    "clipped_last": [
        ("clipped-too-early", "clip_grad_value_(net.parameters(), 1.0)",
         "were used by step() before", "backward(), clip_grad"),
    ],
    "clipped_scaled": [
        ("clipped-too-early", "torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)",
         "those of the loss times the scaler's factor", "scaler.unscale_(optimizer)"),
    ],
    "not_called_zero_grad": [
        ("not-called", "optimizer.zero_grad", "does not call it", "`optimizer.zero_grad()`"),
    ],
    "not_called_backward": [
        ("not-called", "loss.backward", "does not call it", "`loss.backward()`"),
    ],
    "not_called_step": [
        ("not-called", "optimizer.step", "does not call it", "`optimizer.step()`"),
    ],
    "step_by_hand_of_a_name": [
        ("step-without-effect", "p = p - lr * p.grad", "the parameter stays as it was",
         "`with torch.no_grad(): p -= lr * p.grad`"),
    ],
    "constant_penalty_of_a_metric": [
        ("constant-penalty", "pred = (pred > 0.5).float()", "`dice(out, target)` is a part",
         "`pred > 0.5` is True or False, which has no gradient"),
    ],
    "constant_penalty": [
        ("constant-penalty", "g = torch.autograd.grad(outputs=D(mix).sum(), inputs=mix, "
         "retain_graph=True)[0]", "`10 * gp` is a part of the loss that has no gradient",
         "create_graph=True"),
    ],
    "same_state": [
        ("same-state", "least, best = loss.item(), net.state_dict()", "loaded again at",
         "`copy.deepcopy(net.state_dict())`"),
    ],
    "made_anew": [
        ("made-anew", "optimizer = torch.optim.Adam(net.parameters())", "made here 8 times",
         "make it once, before the loop"),
    ],
    "made_anew_each_epoch": [
        ("made-anew", "optimizer = torch.optim.Adam(net.parameters())",
         "made here 4 times, and each makes the steps of one epoch", "before the loop over epochs"),
    ],
    "never_follows": [
        ("never-follows", "value = target_net(torch.randn(8, 4)).amax(1, keepdim=True)",
         "`target_net` is as it was before the first step", "load_state_dict(net.state_dict())`"),
    ],
    "never_follows_forgotten": [
        ("never-follows", "value = self.q_target(torch.randn(8, 4)).amax(1, keepdim=True)",
         "`soft_update`, which would update it, is never called", "call `soft_update` after"),
    ],
    "counted_padding_in_an_error": [
        ("counted-padding", "squares = ((pred - y) ** 2 * mask).mean()",
         "this mean divides by all 60 places", "`(loss * mask).sum() / mask.sum()`"),
        ("counted-padding", "sizes = nn.functional.smooth_l1_loss(pred * mask, y * mask)",
         "this mean divides by all 60 places", 'reduction="none"'),
    ],
    "applied_twice_by_network_and_loss": [
        ("applied-twice", "torch.sigmoid(probability), torch.randint(2, (8,)).float())",
         "sigmoid is applied twice: here, and before", "leave out this sigmoid"),
    ],
    "swapped_target_of_a_divergence": [
        ("swapped-target", 'loss = nn.functional.kl_div(wanted, given, reduction="batchmean")',
         "probabilities first", "F.kl_div(F.log_softmax(scores, dim=1), target"),
        ("nan-forward", 'loss = nn.functional.kl_div(wanted, given, reduction="batchmean")',
         "xlogy() made nan out of finite numbers", "nan too"),
    ],
    "made_anew_schedule": [
        ("made-anew", "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)",
         "is made here 6 times, and each makes one step", "before the loop"),
    ],
    "not_in_optimizer_replaced_again": [
        ("not-in-optimizer", "net.weight = nn.Parameter(net.weight.clamp(-0.5, 0.5))",
         "`net.weight` is a new Parameter from here on, 6 times, and no optimizer changes it",
         "write into it instead: `with torch.no_grad(): net.weight.copy_(...)`"),
    ],
    "schedule_twice": [
        ("schedule-twice", "schedule.step()", "in the inner loop, and once more in the loop around "
         "it", "leave out one of the two calls"),
    ],
    "never_scheduled": [
        ("never-scheduled", "scheduler = StepLR(optimizer, step_size=2)",
         "step() of this StepLR is never called, while its optimizer has made 24 steps",
         "call `scheduler.step()` after optimizer.step()"),
    ],
    "step_of_another_network": [
        ("step-without-gradient", "optimizer.step()", "no gradient in its 4 parameters",
         "`torch.optim.SGD(model.parameters(), ...)`"),
    ],
    "not_in_optimizer_made_anew": [
        ("not-in-optimizer", "return head(torch.tanh(self.fc(x)))", "3 layers, Linear(",
         "make layers in __init__()"),
    ],
    "not_in_optimizer_replaced": [
        ("not-in-optimizer", "net[2] = nn.Linear(8, 2)", "`net.2.weight`",
         "make the optimizer after the last change"),
    ],
    "step_made_too_early": [
        ("step-without-gradient", "optimizer.step()", "no gradient in its 4 parameters",
         "`net` was changed after the optimizer was made"),
    ],
    "step_of_detached_copies": [
        ("step-without-gradient", "optimizer.step()", "no gradient in its 2 parameters",
         "fast = [(w - 0.05 * g).detach()"),
    ],
    "step_made_of_another_layer": [
        ("step-without-gradient", "optimizer.step()", "no gradient in its 2 parameters",
         "make the optimizer after the last change"),
    ],
    "step_first": [
        ("step-without-gradient", "optimizer.step()", "no gradient in its 2 parameters",
         "no backward() had reached"),
    ],
    "step_after_clearing": [
        ("step-without-gradient", "optimizer.step()", "no gradient in its 2 parameters",
         "zero_grad() came between"),
    ],
    "silent_data": [
        ("silent-write", "w.data.mul_(0.5)", "`w` was changed through .data after mul()",
         "no error"),
    ],
    "silent_numpy": [
        ("silent-write", "y.detach().numpy()[0] = 0.0", "`y` was changed through numpy()",
         "no error"),
    ],
    "nan_forward": [
        ("nan-forward", "z = torch.log(y)", "log() made nan out of finite numbers, at element (1,)",
         "a negative number has no logarithm"),
    ],
    "nan_unfilled": [
        ("nan-forward", "self.weight = nn.Parameter(torch.empty(inputs, outputs))",
         "`net.weight` holds nan or inf before the first step: mm() was given it at ",
         "hold what lay in that memory before"),
    ],
    "nan_unfilled_too_large": [
        ("nan-forward", "self.weight = nn.Parameter(torch.empty(inputs, outputs))",
         "`net.weight` holds numbers as large as 1e+30 before the first step", "nn.init."),
    ],
    "nan_from_the_start": [
        ("nan-forward", "return x @ self.weight + self.bias",
         "`net.weight` holds nan or inf before the first step", "or loaded"),
    ],
    "nan_overflow": [
        ("nan-forward", "scores = torch.exp(net(x).abs() * 0 + x)",
         "exp() made inf out of finite numbers, at element (0, 1) (the input is 1000 there)",
         "they stay finite"),
    ],
    "nan_backward": [
        ("nan-backward", "root = torch.sqrt(x)", "the gradient of sqrt() is nan, at element (1,), "
         "where a gradient of 0 came in", "torch.where around the input"),
    ],
    "nan_deviation_of_one": [
        ("nan-forward", "out = (out - out.mean(0)) / (out.std(0) + 1e-5)", "std() made nan",
         "drop_last=True"),
    ],
    "nan_behind_a_mask": [
        ("nan-backward", "ratio = torch.where(x == 0, torch.zeros(1, 3), net(x) / x)",
         "the gradient of div() is nan, at element (0, 0), where a gradient of 0 came in (the "
         "divisor is 0",
         "`torch.where(x == 0, 1, x)`"),
    ],
    "diverged": [
        ("nan-forward", "loss = nn.functional.mse_loss(net(x), y)", "mse_loss() made inf",
         "a lower learning rate"),
    ],
    "double": [
        ("double", "loss = ((pred - target) ** 2).mean()", "`target` is float64",
         "`target = target.float()`"),
    ],
    "detached_loss": [
        ("detached-loss", "loss.backward()", "nothing is trained", "detach()"),
    ],
    "detached_numbers_of_a_list": [
        ("detached-loss", "loss.backward()", "nothing is trained",
         "keep computing with `chosen.log_prob(action)` itself"),
    ],
    "detached_by_no_grad": [
        ("detached-loss", "loss.backward()", "nothing is trained", "move this line out"),
    ],
    "error_of_a_number": [
        ("error", "loss.backward()", "object has no attribute 'backward'",
         "item() gives a plain number"),
    ],
    "zero_gradient_relu": [
        ("zero-gradient", "loss = ((model(x) - y) ** 2).mean()", "`model.0.bias`, `model.0.weight` "
         "got gradients of exactly 0 in all 10 passes", "every number that relu() got is negative"),
    ],
    "zero_gradient_died": [
        ("zero-gradient", "loss = nn.functional.l1_loss(net(x), y)", "passes: they have died",
         "every number that relu() got is negative"),
    ],
    "zero_gradient_no_curvature": [
        ("zero-gradient", "return torch.autograd.grad(y, x, torch.ones_like(y), "
         "create_graph=True)[0]", "this second derivative is exactly 0", "take a smooth function"),
        ("no-gradient", "u = net(x)", "`net.2.weight`, `net.2.bias`", "no loss that backward()"),
    ],
    "zero_gradient_of_a_draw": [
        ("zero-gradient", "z = torch.normal(mean, log_std.exp())", "`encoder.weight`",
         "`mean + std * torch.randn_like(std)`"),
    ],
    "zero_gradient_weights": [
        ("zero-gradient", "loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()", "`net.0.weight`",
         "begin with random weights"),
    ],
    "zero_gradient_softmax": [
        ("zero-gradient", "loss = bce(net(x), (x[:, :1] > 0).float())", "`net.2.weight`",
         "the softmax of a single number is 1"),
    ],
    "zero_gradient_round": [
        ("zero-gradient", "levels = torch.round(net(x) * 10) / 10", "`net.weight`",
         "`x + (x.round() - x).detach()`"),
    ],
    "vanishing_gradient": [
        ("vanishing-gradient", "loss = net(torch.randn(8, 8)).pow(2).mean()",
         "the gradient of `net.0.weight` is as small as", "sigmoid by 1/4 at the most"),
    ],
    "never_stepped": [
        ("never-stepped", "opt = torch.optim.SGD(net.parameters(), lr=.1)", "reached its "
         "parameters 10 times", "call `opt.step()` after backward()"),
    ],
    "left_in_eval_from_the_start": [
        ("left-in-eval", "loss = nn.functional.cross_entropy(model(x), y)", "all 12 passes",
         "call train() before training"),
    ],
    "softmax_over_batch": [
        ("softmax-over-batch", "probs = model(x)", "an output (8, 3) goes over its 8 rows",
         "`dim=1`"),
    ],
    "softmax_over_batch_attention": [
        ("softmax-over-batch", "weights = scores.softmax(dim=0)",
         "softmax() of the scores (4, 5, 5) goes over dimension 0, of size 4", "`dim=-1`"),
    ],
    "not_in_optimizer_new_parameter": [
        ("not-in-optimizer", "return self.fc(x) + bias", "5 Parameters got gradients",
         "a new nn.Parameter is made at each call"),
    ],
    "nan_growing_in_a_loop": [
        ("nan-forward", "h = h @ W", "mm() made inf out of finite numbers", "before any step"),
    ],
    "growing_activations": [
        ("growing", "activations.append(out)", "`activations` holds them",
         "`activations.append(out.detach())`"),
    ],
    "growing_own_loss": [
        ("growing", "loss = loss + ((model(x) - y) ** 2).mean()", "`loss` holds them",
         "call backward() on the new part alone"),
    ],
    "error_none_of_a_result": [
        ("error", "print(h.grad.norm())", "'NoneType' object has no attribute 'norm'",
         "call `h.retain_grad()` before backward()"),
    ],
    "error_none_of_a_leaf": [
        ("error", "print(encoder.weight.grad.norm())", "'NoneType' object has no attribute 'norm'",
         "the way back is cut"),
    ],
    "error_computed_parameter": [
        ("error", "opt = torch.optim.SGD([W, b], lr=0.1)", "can't optimize a non-leaf Tensor",
         "`W = (torch.randn(20, 3) * 0.01).requires_grad_()`"),
    ],
    "error_no_parameters": [
        ("error", "opt = torch.optim.SGD(net.parameters(), lr=.1)", "empty parameter list",
         "`net.w` is a plain tensor"),
    ],
    "error_position": [
        ("error", "loss.backward()", "element 0 of tensors", "a position has no gradient"),
    ],
    "error_position_of_max": [
        ("error", "loss.backward()", "element 0 of tensors", "the second result of max() has no"),
    ],
    "error_a_leaf_made_anew": [
        ("error", "a.grad.zero_()", "'NoneType' object has no attribute 'zero_'",
         "`with torch.no_grad(): a -= 0.1 * a.grad`"),
    ],
    "error_changed_view": [
        ("error", "loss.backward()", "modified by an inplace operation",
         "mul_() changed `first`, which shares the memory of `h`, in place"),
    ],
    "error_required_late": [
        ("error", "y.backward()", "element 0 of tensors", "`x` is told to require grad here, when "
         "`y` had been computed"),
    ],
    "error_column_of_classes": [
        ("error", "nn.CrossEntropyLoss()(scores, torch.randint(3, (8, 1)))", "multi-target not",
         "`target.squeeze(1)`"),
    ],
    "error_class_of_a_loss": [
        ("error", "loss = nn.CrossEntropyLoss(output, target)", "Boolean value of Tensor",
         "`nn.CrossEntropyLoss()(output, target)`"),
    ],
    "error_no_super": [
        ("error", "self.fc = nn.Linear(2, 2)", "before Module.__init__()", "super().__init__()"),
    ],
    "error_parameters_not_called": [
        ("error", "optimizer = torch.optim.Adam(nn.Linear(2, 2).parameters)",
         "'method' object is not iterable", "with parentheses"),
    ],
    "error_scores_of_a_function": [
        ("error", "loss = F.cross_entropy(net(torch.randn(8, 4)), torch.arange(8) % 3 + 1)",
         "Target 3 is out of bounds", "the numbers must be 0 to 2; here they are 1 to 3"),
    ],
    "error_sizes": [
        ("error", "y = x @ W", "cannot be multiplied",
         "matmul() was given a float32 tensor of shape (8, 4) and a float32 tensor of shape"),
    ],
    "error_cleared_first": [
        ("error", "w.grad.zero_()", "'NoneType'", "`if w.grad is not None:`"),
    ],
    "error_state_in_a_tuple": [
        ("error", "loss.backward()", "second time",
         "`self.state = tuple(h.detach() for h in self.state)`"),
    ],
    "error_plateau": [
        ("error", "scheduler.step()", "missing 1 required positional argument: 'metrics'",
         "`scheduler.step(loss)`"),
    ],
    "error_whole_numbers": [
        ("error", "loss.backward()", "element 0 of tensors does not require grad",
         "nothing was recorded for `loss`"),
    ],
    "error_betas": [
        ("error", "optimizer = torch.optim.Adam(nn.Linear(2, 1).parameters(), betas=(0, 0.9))",
         "betas must be either both floats", "write 0.0 instead of 0"),
    ],
    "error_inside_a_library": [
        ("error", "best = copy.deepcopy(state)", "support the deepcopy", "t.detach().clone()"),
    ],
    "error_channels_last": [
        ("error", "out = net(img)", "to have 3 channels, but got 28", "`.permute(0, 3, 1, 2)`"),
    ],
    "error_list_of_losses": [
        ("error", "losses.backward()", "'list' object has no", "`sum(losses).backward()`"),
    ],
    "error_samples_of_many_sizes": [
        ("error", "for x, y in DataLoader(D(), batch_size=2):", "equal size", "pad_sequence"),
    ],
    "step_of_the_same_network": [
        ("step-without-gradient", "opt_c.step()", "no gradient in its 2 parameters",
         "`torch.optim.Adam(critic.parameters(), ...)`"),
    ],
    "error_one_sample": [
        ("error", "loss = model(xb).mean()", "Expected more than 1 value per channel",
         "drop_last=True"),
    ],
    "differentiated_target": [
        ("differentiated-target", "target = reward + 0.99 * q(following).max(1)[0] * (1 - done)",
         "discounted value of `q`", "moves the target towards the prediction"),
    ],
    "differentiated_target_net": [
        ("differentiated-target", "expected = values * 0.999 + torch.randn(8)",
         "discounted value of `target_net`", "`target_net` gets gradients"),
    ],
    "not_detached": [
        ("not-detached", "loss = bce(D(torch.randn(8, 2)), one) + bce(D(fake), 0 * one)",
         "goes back into `G` too: its gradients are added", "`fake.detach()`"),
    ],
    "not_detached_but_cleared": [
        ("not-detached", "loss = bce(D(torch.randn(8, 2)), one) + bce(D(fake), 0 * one)",
         "goes back into `G` too, and its gradients there are thrown away", "`fake.detach()`"),
    ],
    "schedule_first": [
        ("schedule-first", "scheduler.step()", "before the first step() of the optimizer",
         "after optimizer.step()"),
    ],
    "no_such_setting": [
        ("no-such-setting", "net.backbone.requires_grad = False", "a Module has no attribute",
         "`net.backbone.requires_grad_(False)`"),
        ("no-such-setting", "p.require_grad = False", "a tensor has no attribute `require_grad`",
         "requires_grad_(False)"),
        ("no-such-setting", "q.requires_grad_ = False", "`requires_grad_` of a tensor is a method",
         "requires_grad_(False)"),
        ("no-such-setting", "optimizer.lr = 0.1 / (epoch + 1)", "an Optimizer has no attribute "
         "`lr`", "group['lr'] = "),
    ],
    "step_without_effect": [
        ("step-without-effect", "optimizer.step()", "6 steps have changed no parameter",
         "the learning rate is 0 in every step"),
    ],
    "step_too_small": [
        ("step-without-effect", "optimizer.step()", "6 steps have changed no parameter",
         "the learning rate is 1e-12 and the largest gradient"),
    ],
    "units_alike": [
        ("units-alike", "optimizer.step()", "all rows of `net.0.weight` began equal",
         "begin with random weights"),
    ],
    "dropout_in_eval": [
        ("dropout-in-eval", "x = F.dropout(x, 0.5)", "the network is in eval() mode",
         "training=self.training"),
    ],
    "no_log_softmax_kl": [
        ("no-log-softmax", 'loss = F.kl_div(F.softmax(scores, 1), torch.full((8, 3), 1 / 3), '
         'reduction="batchmean")', "kl_div() was given probabilities",
         "`F.kl_div(F.log_softmax(scores, dim=1), target, "),
        ("applied-twice", "sums = F.cross_entropy(torch.sigmoid(scores), torch.arange(8) % 3)",
         "sigmoid is applied to the scores", "leave out the sigmoid"),
    ],
    "nan_all_masked": [
        ("nan-forward", "weights = torch.softmax(scores, dim=-1)",
         "softmax() made nan out of infinite numbers, at element (1, 0)", "-1e9, instead of -inf"),
    ],
    "no_gradient_of_a_function": [
        ("no-gradient", "return Scale.apply(self.fc(x), self.w)", "`net.w` never got a gradient",
         "return a gradient from Scale.backward()"),
    ],
    "not_in_optimizer_plain_tensor": [
        ("not-in-optimizer", "return self.fc(x) * self.scale", "`self.scale` got gradients",
         "`self.scale = nn.Parameter(...)`"),
    ],
    "growing_averages": [
        ("growing", "average[name] = 0.9 * average[name] + 0.1 * p", "holds them",
         "`average[name] = (0.9 * average[name] + 0.1 * p).detach()`"),
    ],
    "detached_numbers": [
        ("detached-loss", "loss.backward()", "nothing is trained",
         "no_grad() is on for this block"),
    ],
    "error": [
        ("error", "loss.backward()", "element 0 of tensors does not require grad",
         "move this line out of the block"),
    ],
    "not_in_optimizer_tied": [
        ("not-in-optimizer", "net.emb.weight = nn.Parameter(torch.randn(10, 8) * 0.02)",
         "`net.emb.weight` got gradients", "put into the network after the optimizer was made"),
    ],
    "step_without_effect_of_a_group": [
        ("step-without-effect", "optimizer = torch.optim.SGD([",
         "the learning rate of `backbone.weight`, `backbone.bias` is 0 in all 8 steps",
         "a division of whole numbers"),
    ],
    "nan_backward_of_a_number": [
        ("nan-backward", "length = torch.sqrt((a**2).sum())", "the gradient of sqrt() is inf, "
         "where a gradient of 1 came in (the result is 0 there)",
         "`torch.sqrt((a ** 2).sum() + 1e-12)`"),
    ],
    "wrong_backward": [
        ("wrong-backward", "return grad * x", "the Function Exp gives 1.281 for `x` at element "
         "(2,), and differences of forward() give 4.732", "gradcheck(Exp.apply, inputs)"),
    ],
    "wrong_backward_without_chain": [
        ("wrong-backward", "return s * (1 + ctx.slope * i * (1 - s)), None",
         "the Function Swish gives", "multiply by the gradient that backward() is given"),
    ],
    "batch_first": [
        ("batch-first", "loss = crit(out(h).log_softmax(2), *targets)",
         "ctc_loss() was given (12, 12, 5) with the examples of the batch first",
         "`log_probs.transpose(0, 1)`"),
    ],
    "batch_first_of_a_convolution": [
        ("batch-first", "loss = F.ctc_loss(log_probs, *targets)",
         "ctc_loss() was given (12, 12, 5) with the examples of the batch first",
         "`log_probs.transpose(0, 1)`"),
    ],
    "spread_target_of_a_factor": [
        ("spread-target",
         "return a.sqrt() * x + (1 - a).sqrt()[:, None, None, None] * noise",
         "`a.sqrt()` has one number for each of the 8 examples",
         "`a.sqrt().view(-1, 1, 1, 1)`"),
    ],
    "spread_target_of_a_drawn_time": [
        ("spread-target", "between = x * t + noise * (1 - t)",
         "`t` has one number for each of the 8 examples", "`t.view(-1, 1, 1, 1)`"),
    ],
    "cut_to_zero": [
        ("cut-to-zero", "x, y = scaled(images[i]), scaled(labels[i]).long()",
         "at most 0.00784, and become 0", "leave that out for labels"),
    ],
    "mixed_dimensions_of_channels": [
        ("mixed-dimensions", "h = h.view(h.size(0), h.size(2), h.size(1))",
         "view() gives (16, 8, 12) the shape (16, 12, 8)", "`.permute(0, 2, 1)`"),
    ],
    "never_scheduled_again": [
        ("never-scheduled", "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, "
         "gamma=0.5)", "the last 5 calls of this schedule's step()",
         "make a new schedule together with the new optimizer"),
    ],
    "no_gradient_checkpoints_in_a_loop": [
        ("no-gradient", "x = checkpoint(block, x, use_reentrant=True)", "and 14 more never got",
         "give it `use_reentrant=False`"),
    ],
    "weight_of_zero": [
        ("weight-of-zero", "loss = (out - x).pow(2).mean() + beta * kl",
         "multiplied by 0 in all 8 passes: `epoch // 10`", "`epoch / 10`"),
    ],
    "wrong_sign_of_a_ranking": [
        ("wrong-sign", "loss = -F.logsigmoid(neg_score - pos_score).mean()",
         "`neg_score` is made large here, and `pos_score` small",
         "`F.logsigmoid(pos_score - neg_score)`"),
    ],
    "wrong_sign_of_negative_samples": [
        ("wrong-sign",
         "loss = -(F.logsigmoid(positive) + F.logsigmoid(negatives).sum(0)).mean()",
         "`negatives` is made large here", "`F.logsigmoid(-negatives)`"),
    ],
    "no_such_setting_of_a_group_later": [
        ("no-such-setting", 'group["learning_rate"] = 0.1 * 0.5**epoch',
         "`learning_rate` is no setting of a parameter group", "`group['lr']`"),
    ],
    "weights_of_classes": [
        ("weights-of-classes",
         "loader = DataLoader(TensorDataset(x, y), batch_size=20, sampler=sampler)",
         "the sampler has 2 weights, and the dataset 60 examples", "class_weights[labels]"),
    ],
    "applied_twice_gumbel": [
        ("applied-twice", "choice = F.gumbel_softmax(gate(x), tau=0.5)",
         "gumbel_softmax() was given probabilities", "leave out the softmax before it"),
    ],
    "share_that_is_kept": [
        ("share-that-is-kept", "net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), "
         "nn.Dropout(keep_prob), nn.Linear(16, 2))", "`keep_prob` is given to Dropout() as its",
         "`Dropout(1 - keep_prob)`"),
        ("share-that-is-kept",
         "h = nn.functional.dropout(x, p=keep_prob, training=net.training)",
         "`keep_prob` is given to dropout()", "`p=1 - keep_prob`"),
    ],
    "grid_outside": [
        ("grid-outside",
         "loss = F.mse_loss(F.grid_sample(moving, grid, align_corners=True), fixed)",
         "most places of this grid lie outside", "`2 * x / (W - 1) - 1`"),
    ],
    "nan_of_atanh": [
        ("nan-forward", "before = torch.atanh(action)", "`before` has inf or nan in it since",
         "atanh() is infinite at -1 and 1"),
    ],
    "nan_out_of_logarithms": [
        ("nan-forward",
         "alpha = (alpha[:, None] * torch.exp(change)).sum(0) * torch.exp(scores[t])",
         "made inf out of finite numbers", "torch.logsumexp(x, dim)"),
    ],
    "steps_of_batch": [
        ("steps-of-batch", "return self.norm(h + self.attention(h, h, h)[0])",
         "nn.MultiheadAttention was given (16, 6, 8)",
         "`nn.MultiheadAttention(..., batch_first=True)`"),
    ],
    "carried_over_between_shuffled_batches": [
        ("carried-over", "out, (h, c) = lstm(inputs, state)",
         "the state that the batch before has left", "begin each batch with zeros"),
    ],
    "zero_gradient_of_a_bound": [
        ("zero-gradient", "log_var = log_var.clamp(min=10.0)",
         "all numbers that clamp() gets here lie below 10", "`log_var.clamp(-10, 10)`"),
    ],
    "softmax_over_queries_of_places": [
        ("softmax-over-queries", "share = torch.softmax(maps(x).flatten(2), dim=1)",
         "softmax() goes over dimension 1, and what it weighs is summed over dimension 2",
         "`dim=-1`"),
    ],
    "collapse_of_a_divergence": [
        ("collapse", "loss = F.kl_div(strong.log_softmax(1), weak.softmax(1), "
         'reduction="batchmean")', "two outputs of one network are made alike",
         "`.detach()` on one of the two"),
    ],
    "follows_at_once": [
        ("follows-at-once", "q_target.load_state_dict(q.state_dict())",
         "`q_target` was equal to `q` in all of its 14 uses", "`if step % 500 == 0:`"),
    ],
    "follows_at_once_by_hand": [
        ("follows-at-once", "p_target.data.copy_(1.0 * p.data + (1 - 1.0) * p_target.data)",
         "`q_target` was equal to `q` in all of its 14 uses", "`p_target.lerp_(p, 0.005)`"),
    ],
    "trained_in_another_fold": [
        ("trained-in-another-fold",
         "val = nn.functional.mse_loss(net(data[held]), target[held]).item()",
         "the 20 examples that are measured here were trained with before",
         "make a new network, and a new optimizer"),
    ],
    "wrong_sign_of_a_temperature": [
        ("wrong-sign", "alpha_loss = (log_alpha * (log_prob + target_entropy).detach()).mean()",
         "the temperature grows where the policy's entropy is above its target",
         "a minus in front"),
    ],
    "added_once": [
        ("added-once", "sums[target] += message(h[source]).relu()", "of the places in `target`",
         "`sums.index_add_(0, target, message(h[source]).relu())`"),
        ("added-once", "degree[target] = degree[target] + 1", "of the places in `target`",
         "`degree.index_add_(0, target, torch.full(target.shape, 1.0))`"),
    ],
    "added_once_by_scatter": [
        ("added-once", "pooled = torch.zeros(5, 6).scatter(0, group[:, None].expand(-1, 6), "
         "net(x))", "scatter() writes", "scatter_add()"),
    ],
    "wrong_backward_deaf": [
        ("wrong-backward", "return grad_input", "the Function Sign gives the same, whatever",
         "multiply by the gradient that backward() is given"),
    ],
    "wrong_backward_sign": [
        ("wrong-backward", "def backward(ctx, grad, grad_of_sum):", "for `output` at element",
         "the sign is the wrong way around"),
    ],
    "trained_to_lose": [
        ("trained-to-lose", "optimizer = torch.optim.Adam([*G.parameters(), *D.parameters()], "
         "lr=1e-3)", "steps both `G` and `D` by the loss of", "`torch.optim.Adam(D.parameters()"),
    ],
    "trained_teacher": [
        ("trained-teacher", "optimizer = torch.optim.SGD([*small.parameters(), "
         "*big.parameters()], lr=0.1)", "changes `big` too, whose output `small` learns",
         "the parameters of `small` only"),
    ],
    "trained_teacher_in_eval": [
        ("trained-teacher", "optimizer = torch.optim.Adam(list(wanted.parameters()) + "
         "list(learner.parameters()))", "changes `wanted` too", "the parameters of `learner` only"),
    ],
    "trained_teacher_for_nothing": [
        ("trained-teacher", "loss = (teacher(x) - student(x)).pow(2).mean()",
         "backward() goes through `teacher` too", "call `teacher` inside `with torch.no_grad():`"),
    ],
    "differentiated_target_that_is_trained": [
        ("differentiated-target", "y = r + 0.9 * target(s2).max(1).values", "value of `target`",
         "leave `target` out of the optimizer"),
    ],
    "same_network": [
        ("same-network", "self.fixed = self.net", "`self.fixed` is the same network as `self.net`",
         "`self.fixed = copy.deepcopy(self.net)`"),
    ],
    "same_network_by_name": [
        ("same-network", "target_net = net", "`target_net` is the same network as `net`",
         "`target_net = copy.deepcopy(net)`"),
    ],
    "same_network_in_memory": [
        ("same-network", "q.data = p.data", "`slow.weight` lies in the same memory as "
         "`critic.weight`", "`slow.load_state_dict(critic.state_dict())`"),
    ],
    "same_network_of_parameters": [
        ("same-network", "ema.weight, ema.bias = net.weight, net.bias",
         "`ema.weight` lies in the same memory as `net.weight`", "copy the numbers"),
    ],
    "clipped_nothing": [
        ("clipped-nothing", "torch.nn.utils.clip_grad_norm_(params, 1.0)",
         "there are no parameters to clip the gradients of",
         "`params = list(model.parameters())`"),
    ],
    "closure_without_backward": [
        ("closure-without-backward", "def closure():", "`closure`, which did not call",
         "compute the loss and its gradients anew"),
    ],
    "constant_penalty_of_grad": [
        ("constant-penalty", "gp = (x.grad.norm(dim=1) - 1).pow(2).mean()",
         "`10 * gp` is a part of the loss", "create_graph=True"),
    ],
    "detached_frozen": [
        ("detached-loss", "loss.backward()", "nothing is trained",
         "all parameters of `model` are frozen, at"),
    ],
    "error_hook_of_another_shape": [
        ("error", "y.sum().backward()", "has changed the size of value",
         "return a gradient of the shape"),
    ],
    "error_item_of_a_position": [
        ("error", "loss.backward()", "does not require grad",
         "keep computing with `torch.log(probs[a])` itself"),
    ],
    "error_last_output": [
        ("error", "loss.backward()", "backward through the graph a second time",
         "cut it off at the start of each iteration: `prev = prev.detach()`"),
    ],
    "error_no_closure": [
        ("error", "opt.step()", "LBFGS.step() missing", "`optimizer.step(closure)`"),
    ],
    "error_none_of_a_leaf_too_early": [
        ("error", "w = w - 0.1 * w.grad", "unsupported operand",
         "`w = (torch.randn(3, 1) * 0.01).requires_grad_()`"),
    ],
    "error_one_pixel": [
        ("error", "loss = (net(x) - 1).pow(2).mean()", "Expected more than 1 spatial element",
         "it takes the mean over each image"),
    ],
    "error_only_rewards": [
        ("error", "loss.backward()", "does not require grad",
         "a policy learns by `dist.log_prob(...)` times the reward"),
    ],
    "error_scaler_not_stepped": [
        ("error", "scaler.update()", "No inf checks were recorded",
         "`scaler.step(optimizer)` instead of"),
    ],
    "error_whole_probabilities": [
        ("error", "loss = nn.CrossEntropyLoss()(net(torch.randn(8, 4)), y)",
         "Expected floating point type", "`target.argmax(1)`"),
    ],
    "hooks_pile_up": [
        ("hooks-pile-up", "p.register_hook(lambda g: grads.append(g.norm()))",
         "this hook was put on the same thing 15 times, and is called as often",
         "`handle.remove()`"),
    ],
    "mixed_dimensions": [
        ("mixed-dimensions", "out, _ = self.lstm(e.view(e.size(1), e.size(0), -1))",
         "(4, 7, 8) the shape (7, 4, 8)", "let the dimensions change places: `.permute(1, 0, 2)`"),
    ],
    "mixed_dimensions_of_classes": [
        ("mixed-dimensions", "out = net(x).view(4, 3, 5)", "(4, 5, 3) the shape (4, 3, 5)",
         "let the dimensions change places: `.permute(0, 2, 1)`"),
    ],
    "nan_backward_of_a_product": [
        ("nan-backward", "ent = torch.where(out > 0, out * torch.log(out), torch.zeros_like(out))",
         "and the gradient of mul(), which multiplies by it, is nan",
         "`torch.log(out.clamp(min=1e-12))`"),
    ],
    "nan_negative_root": [
        ("nan-forward", "z = mu + torch.sqrt(var) * torch.randn_like(mu)", "sqrt() made nan",
         "a negative number has no root"),
    ],
    "nan_no_target": [
        ("nan-forward",
         "loss = nn.functional.cross_entropy(net(torch.randn(4, 4)), y, ignore_index=-100)",
         "nll_loss() made nan out of finite numbers", "all targets are `ignore_index` here"),
    ],
    "nan_forward_weights_of_zero": [
        ("nan-forward", "loss = nn.functional.cross_entropy(net(x), y, weight=weights.float())",
         "nll_loss() made nan out of finite numbers", "the weights of all classes are 0"),
    ],
    "no_gradient_detached_in_place": [
        ("no-gradient", "h.detach_()", "`net.weight`, `net.bias` never",
         "leave out detach_() here"),
    ],
    "no_gradient_item_in_forward": [
        ("no-gradient", "ctx[b] = ctx[b] + w[b, t].item() * x[b, t]", "`net.score.weight`",
         "leave out item() here"),
    ],
    "no_probabilities_clamped": [
        ("no-probabilities", "loss = criterion(out, y)", "scores that clamp() has cut off",
         "F.binary_cross_entropy_with_logits()"),
    ],
    "no_probabilities_clamped_relu": [
        ("no-probabilities", "loss = nn.functional.binary_cross_entropy(out, y)",
         "scores that clamp() has cut off",
         "leave out the clamp and the relu, and take F.binary_cross_entropy_with_logits()"),
    ],
    "no_log_softmax_kl_of_scores": [
        ("no-log-softmax", "loss = divergence(net(torch.randn(8, 5)), target)",
         "kl_div() was given an input with numbers above 0", "of bare scores this"),
    ],
    "no_probabilities_target": [
        ("no-probabilities", "loss = nn.BCEWithLogitsLoss()(net(x), y)",
         "the target of a binary cross entropy lies between 0 and 255", "`target / 255`"),
    ],
    "not_cleared_in_a_closure": [
        ("not-cleared", "loss.backward()", "added its gradients", "at the beginning of closure()"),
    ],
    "not_in_optimizer_behind": [
        ("not-in-optimizer", "f = enc(torch.randn(8, 4))",
         "`enc` got gradients but no optimizer changes it",
         "`enc.parameters()`; or, if it shall stay"),
    ],
    "not_in_optimizer_made_in_forward": [
        ("not-in-optimizer", "alpha = torch.randn(4, requires_grad=True)",
         "10 tensors got gradients but no optimizer changes them",
         "a new tensor is made at each call"),
    ],
    "schedule_too_fast": [
        ("schedule-too-fast",
         "sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.1)",
         "the last 50 of 60 steps", "call its step() once in each epoch"),
    ],
    "schedule_too_fast_cosine": [
        ("schedule-too-fast",
         "sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)",
         "was made for 4 steps, and has made 80", "call its step() once in each epoch"),
    ],
    "step_by_hand_of_an_average": [
        ("step-without-effect", "p = 0.99 * p + 0.01 * q", "and calls it `p`",
         "p.copy_(0.99 * p + 0.01 * q)`"),
    ],
    "step_of_a_copy_meta": [
        ("step-without-gradient", "outer.step()", "no gradient in its 4 parameters",
         "`torch.func.functional_call(meta, params, (x,))`"),
        ("retained", "grads = torch.autograd.grad(inner, fast.parameters(), create_graph=True)",
         "nobody went back through that", "or was cut off on its way to a loss"),
    ],
    "step_of_a_copy": [
        ("step-without-gradient", "meta_opt.step()", "no gradient in its 2 parameters",
         "backward() filled those of `learner."),
    ],
    "used_twice": [
        ("used-twice", "opt.step()", "gradients that a step() has used before",
         "one step() after each backward()"),
    ],
    "used_twice_by_two_optimizers": [
        ("used-twice", "opt_a.step(); opt_b.step()",
         "`b.weight`, `b.bias` were given to two optimizers",
         "give each parameter to one optimizer only"),
    ],
    "zero_gradient_of_a_hook": [
        ("zero-gradient", "emb_hook = net[0].weight.register_hook(lambda g: g.zero_())",
         "`net.0.weight` got", "this hook gives zeros"),
    ],
    "zero_gradient_of_a_module_hook": [
        ("zero-gradient", "def hook(module, grad_input, grad_output):",
         "`net.0.bias`, `net.0.weight` got", "this hook gives zeros"),
    ],
    "zero_gradient_single_score": [
        ("zero-gradient",
         "loss = nn.CrossEntropyLoss()(net(torch.randn(8, 4)), torch.zeros(8, "
         "dtype=torch.long))",
         "got gradients of exactly 0", "the softmax of a single number is 1"),
    ],
    "error_none_of_an_input": [
        ("error", "x_adv = x + 0.1 * x.grad.sign()", "'NoneType' object has no attribute 'sign'",
         "`x.requires_grad_()` before anything is computed"),
    ],
    "error_state_of_the_last_turn": [
        ("error", "loss.backward()", "modified by an inplace operation",
         "`self.hidden = self.hidden.detach()`"),
    ],
    "nan_backward_acos": [
        ("nan-backward", "loss = torch.acos(w).sum()", "the gradient of acos() is inf",
         "`w.clamp(-1 + 1e-6, 1 - 1e-6)`"),
    ],
    "nan_backward_root_as_power": [
        ("nan-backward", "d = ((emb(a) - emb(b)) ** 2).sum(1) ** 0.5",
         "the gradient of pow() is inf", "a root has an infinite slope at 0"),
    ],
    "same_network_kept_as_best": [
        ("same-network", "best_model = model", "`best_model` is the same network as `model`",
         "`best_model = copy.deepcopy(model)`"),
    ],
    "same_network_of_an_agent": [
        ("same-network", "self.qnetwork_target = self.qnetwork_local",
         "`self.qnetwork_target` is the same network as", "copy.deepcopy(self.qnetwork_local)`"),
    ],
    "trained_teacher_inside": [
        ("trained-teacher", "opt = torch.optim.Adam(d.parameters(), lr=1e-2)",
         "changes `d.teacher` too, whose output `d.student`", "call `d.teacher` inside"),
    ],
    "trained_to_lose_in_a_trainer": [
        ("trained-to-lose", "self.opt = torch.optim.Adam(params, lr=lr, betas=(0.5, 0.999))",
         "steps both `trainer.G` and `trainer.D` by the loss", "an optimizer for each"),
    ],
    "wrong_backward_of_one_argument": [
        ("wrong-backward", "return gx, gw, gb", "the Function MyLinear gives",
         "gradcheck(MyLinear.apply, inputs)"),
    ],
    "applied_twice_softmax_with_logits": [
        ("applied-twice", "loss = nn.BCEWithLogitsLoss()(net(torch.randn(8, 4)), y)",
         "softmax is applied to the scores of a loss", "leave out the softmax"),
    ],
    "constant_penalty_of_data": [
        ("constant-penalty", "l2 = l2 + p.data.pow(2).sum()", "`0.1 * l2` is a part of the loss",
         "leave out `.data`"),
    ],
    "constant_penalty_of_numbers": [
        ("constant-penalty", "reg = sum(p.abs().sum().item() for p in net.parameters())",
         "`0.001 * reg` is a part of the loss", "keep computing with `p.abs().sum()` itself"),
    ],
    "constant_penalty_unrecorded": [
        ("constant-penalty", "return -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum(1).mean()",
         "`kl(mu, lv)` is a part of the loss", "no_grad() is on for this block"),
    ],
    "error_rows_of_a_jacobian": [
        ("error", "J = torch.stack([torch.autograd.grad(y[i], x)[0] for i in range(3)])",
         "backward through the graph a second time", "torch.func.jacrev(f)(x)"),
    ],
    "nan_data": [
        ("nan-forward", "loss = net(x).pow(2).mean()", "addmm() was given nan or inf, by `x`",
         "`torch.isfinite(x).all()`"),
    ],
    "nan_multiplied_mask": [
        ("nan-forward", "s = s * mask + (1 - mask) * float('-inf')", "add() was given nan or inf",
         "0 * inf is nan"),
    ],
    "not_cleared_of_one_optimizer": [
        ("not-cleared", "loss.backward()", "those of the step before, in `b.weight`",
         "call ob.zero_grad()"),
    ],
    "not_in_optimizer_loss": [
        ("not-in-optimizer", "loss = nn.functional.cross_entropy(head(f), y) + 0.1 * center(f, y)",
         "`center` got gradients", "give an optimizer `center.parameters()`"),
    ],
    "step_by_hand_clamped": [
        ("step-without-effect", "p = p.clamp(-0.01, 0.01)", "and calls it `p`",
         "p.copy_(p.clamp(-0.01, 0.01))`"),
    ],
    "step_of_a_new_tensor": [
        ("step-without-gradient", "opt.zero_grad(); loss.backward(); opt.step()",
         "no gradient in its 1 parameter", "backward() filled that of `w`, which is another"),
    ],
    "thrown_away": [
        ("thrown-away", "opt.zero_grad()", "18 of 24 gradients are cleared here",
         "zero_grad() after step()"),
    ],
    "growing_replay": [
        ("growing", "memory.append((s, q[a], random.random(), s2))", "`memory` holds them",
         "`memory.append((s, q[a].detach(), random.random(), s2))`"),
    ],
    "mixed_dimensions_of_pixels": [
        ("mixed-dimensions", "out = net(x).view(-1, 3)", "(2, 3, 6, 6) the shape (72, 3)",
         "change places first: `.permute(0, 2, 3, 1)`"),
    ],
    "no_gradient_in_a_hook": [
        ("no-gradient", "return out.detach()", "`net.0.weight`, `net.0.bias` never",
         "leave out detach() here"),
    ],
    "no_gradient_of_a_decoder": [
        ("no-gradient", "logits = self.out(h.detach())", "`dec.cell.weight_ih` and 3 more never",
         "use `h` instead of `h.detach()`"),
    ],
    "not_in_optimizer_temperature": [
        ("not-in-optimizer",
         "loss = nn.functional.cross_entropy(net(torch.randn(8, 4)) / T, torch.randint(0, "
         "3, (8,)))",
         "`T` got gradients", "`[*net.parameters(), T]`"),
    ],
    "summed_batches": [
        ("summed-batches", "loss.backward()", "the sum of the gradients of 4 batches",
         "`loss = loss / accumulate`"),
    ],
    "wrong_padding": [
        ("wrong-padding", "self.words = nn.Embedding(20, 4, padding_idx=1)",
         "padding_idx is 1, but 15 rows are filled up with token 0", "`padding_idx=0`"),
    ],
    "not_in_optimizer_list_of_tensors": [
        ("not-in-optimizer",
         "loss = sum((-v).exp() * part + v for v, part in zip(net.log_vars, losses))",
         "2 tensors got gradients", "`self.log_vars = nn.ParameterList(...)`"),
    ],
    "classes_last": [
        ("classes-last", "nn.functional.cross_entropy(net(x), y).backward()",
         "have the shape (3, 5, 5)", "`.transpose(1, 2)` on the scores"),
        ("classes-last", "criterion(net(x), y).backward()", "with the classes last",
         "`.transpose(1, 2)` on the scores"),
    ],
    "swapped_target": [
        ("swapped-target", "loss = criterion(labels, out)",
         "cross_entropy() was given the labels first", "`loss(output, target)`"),
        ("swapped-target",
         "loss = loss + nn.functional.binary_cross_entropy_with_logits(labels, out)",
         "binary_cross_entropy_with_logits() was given the labels first", "`loss(output, target)`"),
    ],
    "counted_padding": [
        ("counted-padding", "loss = criterion(scores.flatten(0, 1), texts[:, 1:].flatten())",
         "3 of 24 targets of this loss are padding, token 0", "`ignore_index=0`"),
    ],
    "no_gradient_of_a_lone_parameter": [
        ("no-gradient", "loss = Swish.apply(net(torch.randn(8, 4)), beta).pow(2).mean()",
         "`beta` never got a gradient", "no_gradient_of_a_lone_parameter.py:16"),
    ],
    "stepped_though_frozen": [
        ("stepped-though-frozen", "optimizer.step()", "step() changes `net.0.weight`",
         "its `.grad` is zero, which is not None"),
    ],
    "gradient_of_a_result": [
        ("gradient-of-a-result", "if image.grad is not None:", "is no leaf: it is None",
         "`image = torch.rand(1, 4).to(torch.float64).requires_grad_()`"),
    ],
    "zero_gradient_output_died": [
        ("out-of-reach", "loss = nn.functional.mse_loss(net(x), -x.abs().sum(1, keepdim=True))",
         "the output is never below 0", "leave out the relu"),
        ("zero-gradient", "loss = nn.functional.mse_loss(net(x), -x.abs().sum(1, keepdim=True))",
         "they have died", "none at all after the last layer"),
    ],
    "sees_next_token": [
        ("sees-next-token", "return x + F.softmax(scores, dim=-1) @ self.v(x)",
         "to predict the next token, and attends to it", "mask the attention"),
    ],
    "sees_next_token_in_a_layer": [
        ("sees-next-token", "hidden = encoder(words(texts[:-1]))", "attends to it",
         "mask=nn.Transformer.generate_square_subsequent_mask(T)"),
    ],
    "last_of_batch": [
        ("last-of-batch", "loss = nn.functional.cross_entropy(head(out[:, -1]), y)",
         "the last of 5 sequences", "`nn.LSTM(..., batch_first=True)`"),
    ],
    "softmax_over_batch_pooling": [
        ("softmax-over-batch", "weights = torch.softmax(score(x), dim=0)",
         "(4, 5, 1) goes over dimension 0", "`dim=1`"),
    ],
    "learned_advantage": [
        ("learned-advantage",
         "loss = -(policy.log_prob(action) * advantage).mean() + advantage.pow(2).mean()",
         "an advantage that backward() goes into as well", "`advantage.detach()`"),
    ],
    "error_relative_import": [
        ("error", "from .layers import Encoder", "ImportError", "doctor -m package.module"),
    ],
    "error_of_a_notebook": [
        ("error", 'get_ipython().run_line_magic("matplotlib", "inline")', "get_ipython",
         "a command of a notebook"),
    ],
    "no_such_setting_rate_in_a_name": [
        ("no-such-setting", "lr *= 0.5", "this changes the variable `lr`",
         "`for group in optimizer.param_groups: group['lr'] = ...`"),
    ],
    "same_layer": [
        ("same-layer", "net = nn.Sequential(Net(), *[nn.Linear(4, 4), nn.Tanh()] * 2)",
         "`[nn.Linear(4, 4), nn.Tanh()] * 2` is the same layer several times",
         "for _ in range(2)]`"),
        ("same-layer", "self.blocks = nn.ModuleList([nn.Linear(4, 4)] * 3)",
         "`[nn.Linear(4, 4)] * 3` is the same layer several times",
         "`[nn.Linear(4, 4) for _ in range(3)]`"),
    ],
    "dropout_in_eval_made_in_forward": [
        ("dropout-in-eval", "x = nn.Dropout(0.5)(x)", "is in eval() mode",
         "`Net` does not have this layer as a part"),
    ],
    "no_probabilities_kl_of_scores": [
        ("no-probabilities",
         'loss = F.kl_div(F.log_softmax(net(x), 1), scores, reduction="batchmean")',
         "a target with numbers below 0", "`F.softmax(scores, dim=1)` as the target"),
    ],
    "nan_data_divided": [
        ("nan-forward", "X = (X - X.mean(0)) / X.std(0)",
         "`X` has nan or inf in it since this line", "and that of equal numbers is 0"),
    ],
    "error_none_of_a_leaf_required_late": [
        ("error", "print(image.grad.abs())", "'NoneType' object has no attribute 'abs'",
         "`image.requires_grad_()` before anything is computed from it"),
    ],
    "untied": [
        ("untied", "net.words.weight = nn.Parameter(0.02 * torch.randn(12, 4))",
         "shared a Parameter with a Linear", "`(the Linear).weight = ...`"),
        ("untied", "other.words = nn.Embedding(12, 4)", "shared a Parameter with a Linear",
         "trained apart"),
    ],
    "not_in_optimizer_dict_of_networks": [
        ("not-in-optimizer", 'return self.heads["a"](self.body(x))',
         "the layer Linear(in_features=4, out_features=1, bias=True) got",
         "`self.heads = nn.ModuleDict(...)` in __init__() of Net"),
    ],
    "no_gradient_of_weights_of_losses": [
        ("no-gradient",
         "loss = sum(math.exp(-logvar[i]) * e[i] + float(logvar[i]) for i in range(2))",
         "`logvar` never got",
         "math.exp() computes outside of torch"),
    ],
    "no_gradient_function_returns_nothing": [
        ("no-gradient", "loss = head(Clip.apply(lin(torch.randn(8, 3)))).pow(2).mean()",
         "`lin.weight`, `lin.bias` never got",
         "no_gradient_function_returns_nothing.py:8"),
    ],
    "no_gradient_checkpoint_of_a_batch": [
        ("no-gradient", "h = checkpoint(block, torch.randn(8, 4), use_reentrant=True)",
         "`block.0.weight`, `block.0.bias`",
         "none of its inputs requires grad"),
    ],
    "no_gradient_of_several_heads": [
        ("no-gradient", "outs = torch.tensor([h(x) for h in heads])",
         "`heads.1.weight`, `heads.1.bias` and 2 more",
         "torch.stack([h(x) for h in heads])"),
    ],
    "not_in_optimizer_parameter_again": [
        ("not-in-optimizer", "q = nn.Parameter(q / q.norm())",
         "`q` is another Parameter in every iteration, 29 by now",
         "with torch.no_grad(): q.copy_(...)"),
    ],
    "error_leaf_replaced": [
        ("error", "opt.zero_grad(); loss.backward(); opt.step()",
         "a second time",
         "with torch.no_grad(): x.copy_(torch.clamp(x, 0, 1))"),
    ],
    "growing_dict_with_a_number": [
        ("growing", 'history.append({"epoch": epoch, "loss": loss, "z": z.mean()})',
         "`history` holds them",
         "{'epoch': epoch, 'loss': loss.item(), 'z': z.mean().item()}"),
    ],
    "spread_target_of_a_bias": [
        ("spread-target", "return (self.u(u) * self.i(i)).sum(1) + self.ub(u) + self.ib(i)",
         "one operand has the shape (16, 1) and the other (16,): their sum",
         "instead of its own"),
    ],
    "spread_target_of_given_weights": [
        ("spread-target", "loss = (w * each).mean()",
         "`w` has the shape (16, 1) and `each` (16,): their product is (16, 16)",
         ".squeeze(1)` on `w`"),
    ],
    "spread_target_of_an_advantage": [
        ("spread-target", "loss = -(choice.log_prob(choice.sample()) * advantage).mean()",
         "`advantage` is (16, 16) and the other operand (16,)", "on the one"),
    ],
    "spread_target_of_an_advantage_of_steps": [
        ("spread-target", "loss = -(torch.stack(drawn) * (returns - values.detach())).mean()",
         "one operand is (8, 8) and the other operand (8,)", "on the one"),
    ],
    "spread_target_of_rewards": [
        ("spread-target", "loss = -(choice.log_prob(actions) * rewards).mean()",
         "`rewards` has the shape (16, 1)", ".squeeze(1)` on `rewards`"),
    ],
    "spread_target_of_a_clipped_ratio": [
        ("spread-target", "loss = -torch.min(ratio * gains, ratio.clamp(0.8, 1.2) * gains).mean()",
         "`gains` has the shape (16, 1) and `ratio` (16,)", ".squeeze(1)` on `gains`"),
    ],
    "spread_target_of_weights": [
        ("spread-target", "loss = (w * (net(x) - y) ** 2).mean()",
         "`w` (16,): their product is (16, 16)",
         ".unsqueeze(1)` on `w`"),
    ],
    "spread_target_of_probabilities": [
        ("spread-target", "loss = -(y * p.log() + (1 - y) * (1 - p).log()).mean()",
         "their product is (32, 32)",
         "instead of its own"),
    ],
    "constant_penalty_of_an_equation": [
        ("constant-penalty", "du = torch.autograd.grad(u.sum(), x, retain_graph=True)[0]",
         "`(du - torch.cos(x)).pow(2).mean()` is a part",
         "create_graph=True"),
    ],
    "same_tensor": [
        ("same-tensor",
         "pen = sum((fisher[n] * (p - old[n]) ** 2).sum() for n, p in net.named_parameters())",
         "`net.weight` is subtracted from itself",
         "p.detach().clone()"),
    ],
    "same_tensor_of_a_state": [
        ("same-tensor",
         "prox = sum(((p - anchor[n]) ** 2).sum() for n, p in net.named_parameters())",
         "`net.weight` is subtracted from itself",
         "copy.deepcopy(net.state_dict())"),
    ],
    "unsigned_labels": [
        ("unsigned-labels", "loss = torch.clamp(1 - y * out, min=0).mean()",
         "a hinge was given labels that are 0 and 1",
         "`2 * labels - 1`"),
    ],
    "unsigned_labels_of_a_function": [
        ("unsigned-labels", "loss = crit(net(a).squeeze(1), net(b).squeeze(1), better)",
         "margin_ranking_loss() was given labels",
         "it takes 1 and -1"),
    ],
    "silent_activation": [
        ("silent-write", "h.data.clamp_(min=0)",
         "`h` was changed through .data: backward() goes through",
         "h = torch.relu(h)"),
    ],
    "silent_activation_set": [
        ("silent-write", "h.data = h.data * (torch.rand(16, 8) > 0.5).float() * 2",
         "`h` was changed through .data: backward() goes through",
         "has no slope"),
    ],
    "no_gradient_set_data": [
        ("no-gradient", "self.layer.weight.data = self.gen(z).view(2, 4)",
         "`net.gen.weight`, `net.gen.bias` never",
         "and `.data =` cuts it off"),
    ],
    "no_second_derivative": [
        ("no-second-derivative", "p.data = p.data - 0.1 * g",
         "`.data =` takes the numbers alone",
         "torch.func.functional_call(net"),
    ],
    "retained_second_derivative": [
        ("retained", "du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]",
         "create_graph=True recorded how",
         "leave out create_graph=True"),
    ],
    "summed_batches_scaled": [
        ("summed-batches", "scaler.scale(loss).backward()",
         "sum of the gradients of 4 batches",
         "`loss = loss / accum`"),
    ],
    "wrong_backward_off_the_diagonal": [
        ("wrong-backward", "return g * p * (1 - p)",
         "the Function Softmax gives",
         "what backward() returns is not its derivative"),
    ],
    "not_cleared_rows": [
        ("not-cleared", "y[i].backward(retain_graph=True)",
         "this adds to `x.grad`, which is read",
         "set `x.grad = None` before each backward()"),
    ],
    "error_rows_by_backward": [
        ("error", "y[i].backward()",
         "a second time",
         "give it retain_graph=True, and set `.grad` to None"),
    ],
    "error_part_of_a_whole": [
        ("error", "loss.backward()",
         "a second time",
         "`out[i] = part.detach()`"),
    ],
    "detached_numbers_of_a_policy": [
        ("detached-loss", "opt.zero_grad(); loss.backward(); opt.step()",
         "backward() started at a tensor",
         "item() gives a plain number"),
    ],
    "detached_draw": [
        ("detached-draw", "z = q.sample()",
         "sample() gives a draw without its history",
         "`.rsample()` instead of"),
    ],
    "nan_and_zeros_after": [
        ("nan-backward", "dp = torch.sqrt(((a - p) ** 2).sum(1))",
         "the gradient of sqrt() is nan",
         "+ 1e-12"),
    ],
    "nan_recurrent": [
        ("nan-forward", "out, _ = rnn(torch.randn(8, 40, 2))",
         "rnn() made nan out of",
         "multiplies by the same weights at each step"),
    ],
    "nan_masked_overflow": [
        ("nan-backward", "sp = torch.where(z > 20, z, torch.log1p(torch.exp(z)))",
         "the gradient of exp() is nan",
         "torch.exp(z.clamp(max=80))"),
    ],
    "nan_deviation_of_a_return": [
        ("nan-forward", "R = (R - R.mean()) / (R.std() + 1e-8)",
         "`R` has nan or inf in it since this line",
         "that of a single number is nan"),
        ("error", "d = torch.distributions.Categorical(logits=policy(torch.randn(4)))",
         "found invalid values",
         "these numbers are nan"),
    ],
    "not_in_optimizer_made_in_a_forward": [
        ("not-in-optimizer", "self.lin.weight = nn.Parameter(self.lin.weight * self.mask)",
         "`net.lin.weight` got gradients",
         "F.linear(x, weight * mask, bias)"),
    ],
    "trained_teacher_by_average": [
        ("trained-teacher",
         "opt = torch.optim.SGD([*online.parameters(), *target.parameters()], lr=0.1)",
         "this optimizer changes `target` too",
         "parameters of `online` only"),
    ],
    "error_tuple_of_saved": [
        ("error", "return g * y",
         "the program ended here: TypeError",
         "unpack it: `(y,) = ctx.saved_tensors`"),
    ],
    "error_tuple_of_a_layer": [
        ("error", "loss = head(out[:, -1]).pow(2).mean()",
         "the program ended here: TypeError",
         "unpack it: `out, _ = rnn(torch.randn(4, 6, 3))`"),
    ],
    "error_tuple_in_a_sequence": [
        ("error", "net(torch.randn(4, 6, 3)).sum().backward()",
         "must be Tensor, not tuple",
         "returns a tuple: its output, and its state"),
    ],
    "error_computed_parameters_of_a_list": [
        ("error", "opt = torch.optim.SGD(params, lr=0.1)", "can't optimize a non-leaf Tensor",
         "set it on the result: `(torch.randn(3, 4) * 0.1).requires_grad_()`"),
    ],
    "error_computed_parameter_without_a_name": [
        ("error", "opt = torch.optim.SGD([new(3, 4), new(4)], lr=0.1)",
         "can't optimize a non-leaf Tensor", "make a leaf of it first: `t.detach()"),
    ],
    "error_sizes_of_a_factor": [
        ("error", "noised = alphas[t] * x", "The size of tensor a (6) must match",
         "`.view(-1, 1, 1, 1)`"),
    ],
    "error_sizes_of_a_last_batch": [
        ("error", "loss = (net(x) - ones).pow(2).mean()", "The size of tensor a (4) must match",
         "make the other of its size, `x.size(0)`"),
    ],
    "error_buffer_of_values": [
        ("error", "loss.backward()", "the graph a second time",
         "`self.values[self.n % 8] = part.detach()`"),
    ],
    "error_state_alone": [
        ("error", "out, (h, c) = lstm(torch.randn(3, 5, 4), h_0)", "out of bounds for dimension 0",
         "`lstm(x, (h_0, c_0))`"),
    ],
    "error_state_of_a_pair": [
        ("error", "out, h = gru(torch.randn(3, 5, 4), (zeros, zeros))", "the program ended here",
         "give `h_0` alone to nn.GRU"),
    ],
    "error_state_with_the_batch_first": [
        ("error", "out, h = gru(torch.randn(3, 5, 4), h_0)", "Expected hidden",
         "a state has the layers first, also with batch_first=True: (2, 3, 8)"),
    ],
    "error_function_called": [
        ("error", "y = Sq()(x)",
         "Legacy autograd function",
         "call apply() of the class itself"),
    ],
    "error_state_of_another": [
        ("error", "b(torch.randn(2, 6)).sum().backward(); ob.step()",
         "the program ended here",
         "a `exp_avg` of shape (3, 4) for a parameter of shape (3, 6)"),
    ],
    "error_max_norm": [
        ("error", "(a.unsqueeze(0) + b.unsqueeze(1)).sigmoid().prod().backward()",
         "modified by an inplace operation",
         "an Embedding with max_norm writes"),
    ],
    "error_keys_with_a_prefix": [
        ("error", "b.load_state_dict(a.state_dict())",
         "in loading state_dict",
         "put it in front"),
    ],
    "error_forward_misspelt": [
        ("error", "Net()(torch.randn(2, 3)).sum().backward()",
         "is missing the required",
         "`def foward` in Net should be"),
    ],
    "not_in_optimizer_weights_of_losses": [
        ("not-in-optimizer", "loss = (torch.softmax(w, 0) * e).sum()",
         "`w` got gradients but no",
         "[*net.parameters(), w]"),
    ],
    "zero_gradient_parts_cancel": [
        ("zero-gradient", "opt.zero_grad(); loss.backward(); opt.step()",
         "all gradients of this backward() are exactly 0",
         "detach() the old ones"),
    ],
    "same_tensor_in_a_ratio": [
        ("same-tensor", "ratio = (logp - logp).exp()",
         "a tensor is subtracted from itself",
         ".detach()` that one"),
    ],
    "same_tensor_by_two_names": [
        ("same-tensor", "noisy += 0.1 * torch.randn(8, 4)",
         "this changes `x` as well",
         "noisy = x.clone()"),
    ],
    "never_scheduled_of_another": [
        ("never-scheduled", "sch = torch.optim.lr_scheduler.StepLR(opt, 5, 0.1)",
         "of an optimizer that never steps",
         "the rate of the other one stays"),
    ],
    "no_log_softmax_ctc": [
        ("no-log-softmax",
         "loss = ctc(out, torch.randint(1, 6, (4, 6)), torch.full((4,), 20), torch.full((4,), "
         "6))",
         "ctc_loss() was given probabilities",
         "F.log_softmax(scores, dim=-1)"),
    ],
    "nan_equal_eigenvalues": [
        ("nan-backward", "w, V = torch.linalg.eigh(P)",
         "the gradient of linalg_eigh() is nan",
         "divides by the differences"),
    ],
    "same_layer_in_an_ensemble": [
        ("same-layer", "models = [nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))] * 3",
         "is the same layer several times",
         "for _ in range(3)]` makes one"),
    ],
    "mixed_dimensions_of_tokens": [
        ("mixed-dimensions", "tok = h.view(4, 16, 8)",
         "view() gives (4, 8, 4, 4) the shape (4, 16, 8)",
         ".flatten(2).transpose(1, 2)"),
    ],
    "last_of_batch_first": [
        ("last-of-batch", "loss = nn.functional.cross_entropy(head(out[-1]), y)",
         "this takes the last of 6 sequences",
         "`out[:, -1]`"),
    ],
    "error_negative_variance": [
        ("error", "loss = nn.functional.gaussian_nll_loss(mu, torch.randn(16, 1), var)",
         "var has negative",
         "F.softplus(x)"),
    ],
    "nan_negative_logarithm": [
        ("nan-forward", "loss = (torch.log(var) + (torch.randn(16, 1) - mu) ** 2 / var).mean()",
         "log() made nan",
         "a negative number has no logarithm"),
    ],
    "detached_behind_a_model": [
        ("detached-loss", "opt.zero_grad(); loss.backward(); opt.step()",
         "backward() started at a tensor",
         "instead of `policy(s).detach()`"),
    ],
    "no_probabilities_several_labels": [
        ("no-probabilities", "loss = nn.CrossEntropyLoss()(net(torch.randn(16, 5)), y)",
         "rows that sum to as much as",
         "nn.BCEWithLogitsLoss()"),
    ],
    "same_memory": [
        ("same-memory", "dec.weight.data = enc.weight.data",
         "`dec.weight` lies in the same memory",
         "share the Parameter: `dec.weight = enc.weight`"),
    ],
    "growing_array": [
        ("growing", "metrics[it] = 1 - loss / y.var()",
         "`metrics` holds them",
         "metrics[it] = (1 - loss / y.var()).item()"),
    ],
    "growing_weights": [
        ("growing", "w = w - 0.1 * gradient", "`w` holds them",
         "begin each step with leaves: `.detach().requires_grad_()`"),
    ],
    "growing_functions": [
        ("growing", "callbacks.append(lambda l=loss: print(l.item()))",
         "`callbacks` holds them",
         "give the function numbers"),
    ],
    "step_too_small_in_half": [
        ("step-without-effect", "opt.zero_grad(); loss.backward(); opt.step()",
         "12 steps have changed no parameter",
         "a GradScaler"),
    ],
    "growing_entry_of_a_trainer": [
        ("growing", 'self.log["loss"] += loss',
         "t.log['loss']` holds them",
         "self.log['loss'] += loss.item()"),
    ],
    "step_of_a_model_built_again": [
        ("step-without-gradient", "self.opt.zero_grad(); loss.backward(); self.opt.step()",
         "step() found no gradient",
         "was changed after the optimizer was made"),
    ],
    "constant_penalty_of_a_function": [
        ("constant-penalty", "p, t = pred.sigmoid().data.numpy() > 0.5, target.numpy() > 0.5",
         "`iou_loss(net(x), y)` is a part of the loss",
         "numpy() gives a NumPy array"),
    ],
    "exhausted": [
        ("exhausted", "loader = ((torch.randn(8, 4), torch.randn(8, 1)) for _ in range(5))",
         "`loader` can be gone through only once",
         "`loader = list(...)`"),
    ],
    "thrown_away_before_a_step_behind": [
        ("thrown-away", "opt.zero_grad()",
         "24 of 30 gradients are cleared",
         "call step() in every iteration"),
    ],
    "not_in_optimizer_buffer": [
        ("not-in-optimizer", "def forward(self, x): return torch.where(x > 0, x, self.slope * x)",
         "`self.slope` got gradients but no",
         "`self.slope = nn.Parameter(...)`"),
    ],
    "no_such_setting_defaults": [
        ("no-such-setting", 'if it == 4: opt.defaults["lr"] = 0.001',
         "this changes what later parameter groups begin with",
         "opt.param_groups"),
    ],
    "softmax_over_queries": [
        ("softmax-over-queries",
         "att = torch.softmax(q(x) @ k(x).transpose(1, 2) / 8 ** 0.5, dim=1)",
         "softmax() of the scores goes over the last dimension but one",
         "`dim=-1`"),
    ],
    "masked_too_late": [
        ("masked-too-late",
         "att = torch.softmax(q(x) @ k(x).transpose(1, 2) / 8 ** 0.5, dim=-1) * mask",
         "attention is masked after its softmax",
         "scores.masked_fill(mask == 0"),
    ],
    "error_nothing_saved": [
        ("error", "a, b = ctx.saved_tensors",
         "not enough values to unpack",
         "ctx.save_for_backward"),
    ],
    "constant_penalty_of_slopes": [
        ("constant-penalty", "slopes = torch.autograd.grad(critic(x).sum(), x)[0]",
         "`10 * penalty_of(critic, real, fake)` is a part", "create_graph=True"),
    ],
    "wrong_sign_of_labels": [
        ("wrong-sign", "loss = log_p[torch.arange(8), y].mean()", "right answers",
         "a minus in front"),
    ],
    "wrong_sign_of_rewards": [
        ("wrong-sign", "loss = (torch.stack(log_probs) * torch.tensor(rewards)).sum()",
         "times its reward is made small", "`loss = -(log_prob * reward).mean()`"),
    ],
    "wrong_sign_of_a_divergence": [
        ("wrong-sign", "divergence = 0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(1).mean()",
         "divergence is made large", "`-0.5 * (1 + log_var - mu**2 - log_var.exp()).sum()`"),
    ],
    "diverging": [
        ("diverging", "loss.backward()", "in 10 steps", "a learning rate of a tenth"),
    ],
    "zero_gradient_of_a_hook_in_place": [
        ("zero-gradient", "def cut(module, grad_input, grad_output):", "`net.0.weight`",
         "this hook gives zeros"),
    ],
    "no_gradient_checkpoint_of_a_method": [
        ("no-gradient", "return self.head(checkpoint(self.features, x, use_reentrant=True))",
         "`net.body.weight`", "give it `use_reentrant=False`"),
    ],
    "no_gradient_inside_a_checkpoint": [
        ("no-gradient", "h = body(x)", "`body.weight`", "no_grad() is on for this block"),
    ],
    "pruned_once": [
        ("pruned-once", "optimizer.step()", "100 of 200 elements of `net.0.weight` were set to 0",
         "apply the mask after every step()"),
    ],
    "pruned_once_before_the_optimizer": [
        ("pruned-once", "optimizer.step()", "10 of 20 elements of `net.weight`",
         "apply the mask after every step()"),
    ],
    "buffers_left_out": [
        ("buffers-left-out", "for a, p in zip(self.net.parameters(), net.parameters()):",
         "`average.net` follows the parameters of `net`",
         "`for a, b in zip(average.net.buffers(), net.buffers()): a.copy_(b)`"),
    ],
    "unshuffled": [
        ("unshuffled", "loss = nn.functional.cross_entropy(net(x), labels)",
         "16 of 16 batches hold examples of one class only", "shuffle=True"),
    ],
    "seeded_again": [
        ("seeded-again", "torch.manual_seed(42)", "with the seed 42, before each of 6 steps",
         "seed once"),
    ],
    "schedule_too_slow": [
        ("schedule-too-slow", "schedule = torch.optim.lr_scheduler.OneCycleLR(",
         "made for 20 steps, as many as there are batches, and has made 4",
         "call its step() after each optimizer.step()"),
    ],
    "not_shifted": [
        ("not-shifted", "loss = nn.functional.cross_entropy(net(ids).view(-1, 20), ids.view(-1))",
         "the token that it was given", "`tokens[:, 1:]`"),
    ],
    "counted_padding_in_a_mean": [
        ("counted-padding", "loss = (each * mask).mean()",
         "divides by all 60 places, of which 44 are not masked",
         "`(loss * mask).sum() / mask.sum()`"),
    ],
    "detached_draw_by_normal": [
        ("detached-draw", "z = torch.normal(mu, (0.5 * log_var).exp())", "whose gradient is 0",
         "`mean + std * torch.randn_like(std)`"),
    ],
    "not_in_optimizer_computed_parameter": [
        ("not-in-optimizer", "self.mean = nn.Parameter(torch.zeros(3)).to(torch.float64)",
         "`self.mean` is computed from a Parameter",
         "`self.mean = nn.Parameter(torch.zeros(3).to(torch.float64))`"),
    ],
    "not_in_optimizer_plain_class": [
        ("not-in-optimizer", "return x + torch.relu(self.linear(x))", "got gradients",
         "an attribute of `block`, and Block is no nn.Module"),
    ],
    "not_cleared_of_a_trainer": [
        ("not-cleared", "loss.backward()", "added its gradients",
         "call self.opt.zero_grad() after every self.opt.step()"),
    ],
    "zero_gradient_of_float16": [
        ("zero-gradient", "loss.backward()", "all gradients of this backward() are exactly 0",
         "parameters are float16, which holds nothing between 0 and 6e-8"),
    ],
    "nan_of_float16": [
        ("nan-forward", "(loss * 30000).backward()", "mul() made inf out of finite numbers",
         "the largest number of float16 is 65504"),
    ],
    "untied_of_both": [
        ("untied", "layer.weight = nn.Parameter(torch.randn(20, 8) * 0.02)",
         "which has another one by now, too", "share it again"),
    ],
    "error_number_of_gradients": [
        ("error", "Scale.apply(x, 2.0).sum().backward()", "(expected 2, got 1)",
         "error_number_of_gradients.py:10 return one for each argument of Scale.forward(), 2 here"),
    ],
    "same_memory_transposed": [
        ("same-memory", "decoder.weight.data = encoder.weight.data.t()",
         "`decoder.weight` lies in the same memory", "`F.linear(x, encoder.weight.t())`"),
    ],
    "same_layer_by_default": [
        ("same-layer", "def __init__(self, layers=[nn.Linear(4, 4), nn.Linear(4, 1)]):",
         "every Net that is made without this argument", "`=None` as the default"),
    ],
    "growing_tuples": [
        ("growing", "seen.append(step)", "`seen` holds them",
         "`seen.append(tuple(t.detach() if torch.is_tensor(t) else t for t in step))`"),
    ],
    "same_batch": [
        ("same-batch", "x, y = next(iter(data))", "the first batch of `data`",
         "`batches = iter(data)` before the loop"),
    ],
    "no_probabilities_one_output": [
        ("no-probabilities", "loss = nn.functional.cross_entropy(net(x).squeeze(1), y)",
         "scores (16,) and as many targets", "F.binary_cross_entropy_with_logits()"),
    ],
    "wrong_sign_of_a_ratio": [
        ("wrong-sign", "gain = torch.min(ratio * advantage, kept * advantage).mean()",
         "or a ratio made of it", "put a minus in front of it"),
    ],
    "zero_gradient_dropped": [
        ("zero-gradient", "loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()", "`net.0.weight`",
         "dropout leaves out every number"),
    ],
    "step_by_hand_without_a_network": [
        ("step-without-effect", "p = p - 0.1 * p.grad", "this makes a new tensor",
         "`with torch.no_grad(): p -= 0.1 * p.grad`"),
    ],
    "gradient_of_a_part": [
        ("gradient-of-a-result", "print(x[0].grad)", "no leaf",
         "read that part of the gradient of `x`: `x.grad[0]`"),
    ],
    "clipped_to_zero": [
        ("clipped-to-zero", "nn.utils.clip_grad_norm_(net.parameters(), max_norm=0)",
         "to a size of 0: nothing of them is left", "`float('inf')`"),
    ],
    "not_called_function": [
        ("not-called", "synchronize", "names a function", "`synchronize()`"),
    ],
    "loaded_nothing": [
        ("loaded-nothing", "net.load_state_dict(checkpoint, strict=False)", "has loaded nothing",
         "take it off: `{k.removeprefix('module.'): v for k, v in state.items()}`"),
    ],
    "loaded_nothing_of_an_entry": [
        ("loaded-nothing", "net.load_state_dict(checkpoint, strict=False)", "has loaded nothing",
         "asks for `weight` and others, and is given `model` and others"),
    ],
    "spread_target_column": [
        ("spread-target", "loss = nn.functional.l1_loss(net(x).squeeze(1), y)",
         "the target has the shape (16, 1) and the output (16,)", "`.squeeze(1)` on the target"),
    ],
    "schedule_wrong_way": [
        ("schedule-wrong-way", "scheduler.step(val_acc)", "waits for `val_acc` to fall",
         '`mode="max"`'),
    ],
    "rate_as_factor": [
        ("rate-as-factor", "scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: "
         "lr * 0.95**epoch)", "the learning rate is 8.15e-07", "a factor that begins with 1"),
    ],
    "wrong_sign_of_a_likelihood": [
        ("wrong-sign", "loss = Normal(mean, log_std.exp()).log_prob(y).mean()",
         "probability of the data is made small", "`loss = -dist.log_prob(y).mean()`"),
    ],
    "wrong_sign_of_a_mixture": [
        ("wrong-sign", "parts = Normal(mean, log_std.exp()).log_prob(y) + share.log_softmax(1)",
         "probability of the data is made small", "a minus in front"),
    ],
    "wrong_sign_of_an_entropy": [
        ("wrong-sign", "loss = -(q.log_prob(action) * advantage).mean() + 0.01 * "
         "q.entropy().mean()", "the entropy of the policy is made small", "subtract it"),
    ],
    "wrong_sign_of_an_entropy_by_hand": [
        ("wrong-sign", "loss = -gain + 0.1 * entropy.mean()",
         "the entropy of the policy is made small", "`loss = policy_loss - beta * entropy`"),
    ],
    "wrong_sign_of_a_similarity": [
        ("wrong-sign", "loss = F.cosine_similarity(one, other, dim=1).mean()",
         "the similarity is made small", "`loss = 1 - similarity.mean()`"),
    ],
    "wrong_sign_of_a_similarity_to_a_target": [
        ("wrong-sign", "loss = (one * target).sum(1).mean()", "the similarity is made small",
         "point away from each other"),
    ],
    "wrong_sign_of_an_overlap": [
        ("wrong-sign", "dice = (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)",
         "the overlap with the target is made small", "`loss = 1 - overlap`"),
    ],
    "wrong_sign_of_an_error": [
        ("wrong-sign", "error = F.cross_entropy(scores, y)", "this loss is made large",
         "leave out the minus"),
    ],
    "wrong_sign_of_a_generator": [
        ("wrong-sign", "loss = critic(fake).mean()",
         "pushes the answer of `critic` down for what the generator makes",
         "`-D(fake).mean()`"),
    ],
    "wrong_sign_of_a_generator_labels": [
        ("wrong-sign", "g_loss = bce(D(fake), zeros)", "pushes the answer of `D` down",
         "`loss(D(fake), ones)`"),
    ],
    "error_scaler_not_updated": [
        ("error", "scaler.step(optimizer)", "step() has already been called",
         "`scaler.update()` at the end of each iteration"),
    ],
    "saturated": [
        ("saturated", "loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)",
         "sigmoid() is saturated from the first pass on", "numbers as large as 255"),
    ],
    "same_tensor_of_an_attack": [
        ("same-tensor", "noisy += 0.02 * g.sign()", "this changes `x` as well",
         "`noisy = x.detach().clone()`"),
    ],
    "same_tensor_of_an_attack_by_name": [
        ("same-tensor", "noisy += 0.02 * g.sign()", "this changes `images` as well",
         "`noisy = images.clone()`"),
    ],
    "last_of_padding": [
        ("last-of-padding", "loss = nn.functional.cross_entropy(head(out[:, -1]), y)",
         "takes step 5 of all 6 sequences, of which 5 are shorter", "`h[-1]`"),
    ],
    "zero_gradient_of_an_even_softmax": [
        ("inverted-mask", "h, _ = attention(x, x, x, key_padding_mask=tokens != 0)",
         "keeps 12 that are all 0", "`tokens == 0`, or `~mask`"),
    ],
    "not_cleared_until_flat": [
        ("not-cleared", "loss.backward()", "added its gradients to those of the step before",
         "at the beginning of closure()"),
    ],
    "nan_forward_softplus": [
        ("nan-forward", "loss = torch.log(1 + torch.exp(-y * net(x))).mean()",
         "exp() made inf out of finite numbers", "F.softplus(x) for log(1 + exp(x))"),
    ],
    "out_of_reach_absolute": [
        ("out-of-reach", "loss = nn.functional.l1_loss(net(x), y)",
         "the output lies between 0 and 1", "leave out the sigmoid"),
    ],
    "out_of_reach": [
        ("out-of-reach", "loss = nn.functional.mse_loss(net(x), y)",
         "the output lies between 0 and 1", "leave out the sigmoid"),
    ],
    "own_target": [
        ("own-target", "loss = F.cross_entropy(scores, torch.arange(16))",
         "each one's target is itself", "leave out the diagonal"),
    ],
    "wrong_sign_of_distances": [
        ("wrong-sign", "loss = F.cross_entropy(torch.cdist(net(x), centers) / 2, labels)",
         "is given distances as its scores", "negative distances"),
        ("wrong-sign", "loss = loss + F.cross_entropy(squares, labels)",
         "is given distances as its scores", "negative distances"),
        ("wrong-sign", "loss = loss + F.cross_entropy(few, labels[:8])",
         "is given distances as its scores", "negative distances"),
    ],
    "own_target_among_others": [
        ("own-target", "loss = F.cross_entropy(scores, places)",
         "the 16 examples are compared with themselves too", "leave out the diagonal"),
    ],
    "hook_without_return": [
        ("hook-without-return", "grad = grad.clamp(-0.1, 0.1)", "inside of the hook `limit`",
         "`return grad.clamp(-0.1, 0.1)`"),
    ],
    "wrong_deviation": [
        ("wrong-deviation", "z = mu + log_var.exp() * torch.randn_like(mu)",
         "noise is multiplied by the variance", "`mean + torch.exp(0.5 * log_var) * noise`"),
    ],
    "wrong_deviation_logarithm": [
        ("wrong-deviation", "z = mu + log_var * torch.randn_like(mu)",
         "by the logarithm of the variance", "`mean + torch.exp(0.5 * log_var) * noise`"),
    ],
    "constant_penalty_in_a_residual": [
        ("constant-penalty",
         "slope = torch.autograd.grad(u.sum(), t, retain_graph=True)[0]",
         "this gradient is added to what the network gives", "create_graph=True"),
    ],
    "wrong_backward_kept_in_the_class": [
        ("wrong-backward", "Square.x = x", "of which there are 2 in this pass",
         "`ctx.save_for_backward(...)`"),
    ],
    "error_unused_result": [
        ("error", "loss.backward()", "does not require grad", "compute the loss from `scores`"),
    ],
    "thrown_away_batches": [
        ("thrown-away", "loss.backward()", "sees the last of its 4 batches only",
         "into the loop, after the line that computes `loss`"),
    ],
    "exhausted_function": [
        ("exhausted", "data = batches()", "`data` can be gone through only once", "`data = list("),
    ],
    "mixed_dimensions_of_steps": [
        ("mixed-dimensions", "loss = nn.functional.cross_entropy(head(out).reshape(-1, 12), "
         "y.reshape(-1))", "the output (8, 6, 12) and the target (6, 8)",
         "`output.transpose(0, 1)` before it is flattened"),
    ],
    "zero_gradient_of_a_clamp": [
        ("zero-gradient", "loss = nn.functional.mse_loss(net(x).clamp(0, 1), "
         "torch.full((8, 1), 0.5))", "`net.weight`", "clamp what is reported"),
    ],
    "step_without_gradient_of_another": [
        ("no-gradient", "first, second = [torch.optim.SGD(model.parameters(), lr=0.1) for model in "
         "models]", "`models[1].weight`, `models[1].bias` never got", "no loss that backward()"),
        ("step-without-gradient", "optimizer.step()", "step() found no gradient",
         "compute it with the network that this optimizer was given"),
    ],
    "step_without_gradient_of_replicas": [
        ("step-without-gradient", "optimizer.step()", "step() found no gradient",
         "add their gradients to its own"),
    ],
    "error_changed_in_a_return": [
        ("error", "Net()(x).sum().backward()", "modified by an inplace operation",
         "`torch.sigmoid(x).mul(2)`"),
    ],
    "mixed_dimensions_of_heads": [
        ("mixed-dimensions", "q, k, v = (t.reshape(B, self.heads, T, D // self.heads) "
         "for t in (q, k, v))", "(4, 6, 8) the shape (4, 2, 6, 4)",
         "`.view(4, 6, 2, 4).transpose(1, 2)`"),
    ],
    "mixed_dimensions_of_heads_put_together": [
        ("mixed-dimensions", "return self.out((weights @ v).reshape(B, T, D))",
         "view() gives (4, 2, 6, 4) the shape (4, 6, 8)", "`.transpose(1, 2).reshape(4, 6, 8)`"),
    ],
    "mixed_dimensions_of_images": [
        ("mixed-dimensions", "scores = net(batch.view(8, 3, 8, 8))",
         "images (8, 8, 8, 3) that were given the shape (8, 3, 8, 8)", "`.permute(0, 3, 1, 2)`"),
    ],
    "mean_over_batch": [
        ("mean-over-batch", "return self.out(h.mean(1))", "goes over the 7 examples",
         "`nn.TransformerEncoderLayer(..., batch_first=True)`"),
    ],
    "mean_over_batch_first": [
        ("mean-over-batch", "loss = (out(lstm(x)[0].mean(0)) - x.sum((1, 2)).unsqueeze(1))"
         ".pow(2).mean()", "goes over the 5 examples", "`dim=1`"),
    ],
    "last_of_batch_of_a_transformer": [
        ("last-of-batch", "h = encoder(x)[:, 0]", "takes the first of 6 sequences",
         "nn.TransformerEncoderLayer reads (time, batch, features)"),
    ],
    "swapped_target_of_a_triplet": [
        ("swapped-target", "loss = criterion(net(anchor), net(negative), net(positive))",
         "was given `net(negative)` for the positive",
         "`criterion(net(anchor), net(positive), net(negative))`"),
    ],
    "wrong_sign_of_an_actor": [
        ("wrong-sign", "actor_loss = critic(torch.cat([state, actor(state)], 1)).mean()",
         "what the critic says", "-critic(state, actor(state))"),
    ],
    "wrong_sign_of_a_step_by_hand": [
        ("wrong-sign", "w += 0.01 * w.grad", "`w`, `b` moved along the gradient", "w -= lr"),
    ],
    "wrong_sign_of_a_step_by_hand_of_a_network": [
        ("wrong-sign", "p.data.add_(p.grad, alpha=0.05)",
         "`net.weight`, `net.bias` moved along the gradient", "w -= lr"),
    ],
    "wrong_sign_of_scores": [
        ("wrong-sign", "loss = -scores[torch.arange(16), labels].mean()", "the bare scores",
         "F.cross_entropy(scores, labels)"),
    ],
    "wrong_sign_of_picked_probabilities": [
        ("wrong-sign", "loss = (log_probs * returns).sum()", "of the chosen action's probability",
         "put a minus in front of it"),
    ],
    "diverging_downwards": [
        ("diverging", "loss.backward()", "the loss has fallen from", "it has no smallest value"),
    ],
    "no_gradient_of_a_codebook": [
        ("no-gradient", "nearest = torch.cdist(z, self.codes.weight).argmin(1)",
         "`net.encoder.weight`, `net.encoder.bias` never got", "`z + (q - z).detach()`"),
    ],
    "shuffled_alone": [
        ("shuffled-alone", "inputs = inputs[torch.randperm(64)]",
         "the rows of `inputs` are shuffled, those of `targets` are not",
         "`inputs, targets = inputs[order], targets[order]`"),
    ],
    "error_index_of_too_few_dimensions": [
        ("error", "values = net(states).gather(1, actions)", "same number of dimensions",
         "`.unsqueeze(1)` on it"),
    ],
    "wrong_sign_of_an_actor_of_two_critics": [
        ("wrong-sign", "value = torch.min(first(s, a), second(s, a))", "what the critic says",
         "what brings least"),
    ],
    "wrong_sign_of_a_step_by_hand_of_classes": [
        ("wrong-sign", "p += 0.1 * p.grad", "`net.0.weight`, `net.0.bias`, `net.2.weight`",
         "this loss is an error"),
    ],
    "shuffled_alone_in_a_function": [
        ("shuffled-alone", "inputs = inputs[order]", "those of `targets` are not", "one order"),
    ],
    "mixed_dimensions_of_heads_behind_attention": [
        ("mixed-dimensions", "loss = (out(mixed.contiguous().view(2, 5, 8)) - x).pow(2).mean()",
         "(2, 4, 5, 2) the shape (2, 5, 8)", "`.transpose(1, 2).reshape(2, 5, 8)`"),
    ],
    "constant_critic_loss": [
        ("constant-penalty", "value_loss = (returns - values.data).pow(2).mean()",
         "`0.5 * value_loss` is a part of the loss that has no gradient", "leave out `.data`"),
    ],
    "constant_part_in_a_module": [
        ("constant-penalty", "prob = (torch.sigmoid(logits) > 0.5).float()",
         "`(1 - dice).mean()` is a part of the loss", "is True or False, which has no gradient"),
    ],
    "constant_part_of_a_sum": [
        ("constant-penalty", "return net(torch.zeros(1, 2))", "`edge()` is a part of the loss",
         "torch.no_grad() is on for this block"),
    ],
    "constant_part_of_numbers": [
        ("constant-penalty",
         "penalty = sum(p.abs().sum().item() for p in self.net.parameters())",
         "`self.l1 * penalty` is a part of the loss", "item() gives a plain number"),
    ],
    "constant_part_that_requires_grad": [
        ("constant-penalty",
         "loss = torch.tensor((out.detach().numpy() ** 2).mean(), requires_grad=True)",
         "`loss` is a part of the loss", "numpy() gives a NumPy array"),
    ],
    "constant_penalty_weighed_slope": [
        ("constant-penalty", "u_xx, = grad(u_x.sum(), x, retain_graph=True)",
         "at tests/doctor/constant_penalty_weighed_slope.py:14", "create_graph=True"),
    ],
    "constant_policy_loss": [
        ("constant-penalty",
         "memory.log_probs.append(chosen.log_prob(chosen.sample()).detach())",
         "`policy_loss` is a part of the loss", "detach()"),
    ],
    "no_gradient_of_the_first_cut": [
        ("no-gradient", "rows[i] = (2 * h[i]).detach()", "`net.first.weight`, `net.first.bias`",
         "detach() cuts it off"),
    ],
    "growing_sum_beside_a_state": [
        ("growing", "total += loss", "`total` holds them", "`total += loss.item()`"),
    ],
    "growing_sum_of_several": [
        ("growing", "totals += losses", "`totals` holds them", "`totals += losses.detach()`"),
    ],
    "growing_log_of_a_trainer": [
        ("growing", "self.log.append((loss.item(), loss))", "`trainer.log` holds them",
         "`self.log.append((loss.item(), loss.detach()))`"),
    ],
    "learned_advantage_of_a_ratio": [
        ("learned-advantage",
         "pl = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()",
         "or a ratio made of it, is multiplied by an advantage", "`advantage.detach()`"),
    ],
    "error_old_policy": [
        ("error", "(pl + 0.5 * vl).backward()", "a second time",
         "compute `old` inside of `with torch.no_grad():`, or use `old.detach()`"),
    ],
    "not_in_optimizer_low_rank": [
        ("not-in-optimizer", "return self.base(x) + self.scale * (x @ self.A.t() @ self.B.t())",
         "`self.B`, `self.A` got gradients",
         "`self.B = nn.Parameter(...)` and `self.A = nn.Parameter(...)` in __init__()"),
    ],
    "learned_advantage_of_a_rollout": [
        ("learned-advantage",
         "loss = -(torch.stack(logs) * advantage).mean() + advantage.pow(2).mean()",
         "an advantage that backward() goes into", "`advantage.detach()`"),
    ],
    "left_in_eval_of_a_tuple": [
        ("left-in-eval", "y, h = net(torch.randn(3, 2, 4))", "the last 4 of 6 passes",
         "call train()"),
    ],
    "hook_without_return_of_a_method": [
        ("hook-without-return", "grad = grad.clamp(-1, 1)", "inside of the hook `watch`",
         "`return grad.clamp(-1, 1)`"),
    ],
    "exhausted_zip_of_iterators": [
        ("exhausted", "xs, ys = iter(data[0]), iter(data[1])",
         "`for ... in enumerate(zip(xs, ys))` does nothing", "`xs = list(...)`"),
    ],
    "spread_target_of_images": [
        ("spread-target", "loss = 0.5 * ((prob - mask) ** 2).mean()",
         "(4, 1, 6, 6) and `mask` (4, 6, 6): their difference is (4, 4, 6, 6)", "`.squeeze(1)`"),
    ],
    "spread_target_that_is_a_table": [
        ("spread-target", "loss = F.smooth_l1_loss(net(state)[:, 0], expected)",
         "the target (8, 8): a part of it is (8,), and `done` is (8, 1)",
         "`.squeeze(1)` on `done`"),
    ],
    "error_gradient_of_a_number": [
        ("error", "Scale.apply(x, 2.0).sum().backward()", "different than None at position 2",
         "argument 2 of Scale.forward() is no tensor that requires grad"),
    ],
    "nan_given_inside_a_layer": [
        ("nan-forward", "norm = degree.rsqrt()", "`norm` has inf or nan in it since this line",
         "it divides by 0, and 1 of 3 numbers in `degree` are 0"),
    ],
    "nan_of_a_degree": [
        ("nan-forward", "root = degree.pow(-0.5)", "by `weights`, at ",
         "1 of 6 numbers in `degree` are 0"),
    ],
    "nan_of_a_share": [
        ("nan-forward", "share = counts / total", "`share` has inf or nan in it since",
         "1 of 4 numbers in `total` are 0"),
    ],
    "nan_step": [
        ("nan-step", "optimizer.step()", "has made inf or nan of `net.", "or `eps=1e-4`"),
    ],
    "constant_penalty_within_a_residual": [
        ("constant-penalty", "u_xx = torch.autograd.grad(u_x, x, ones, retain_graph=True)[0]",
         "is a part of the loss that has no gradient", "create_graph=True"),
    ],
    "closure_of_an_equation": [
        ("closure-without-backward", "def closure():", "`closure`, which did not call backward()",
         "loss.backward()"),
    ],
    "step_of_the_target_network": [
        ("step-without-gradient", "self.opt.step()", "found no gradient in its 2 parameters",
         "`torch.optim.Adam(agent.policy.parameters(), ...)`"),
    ],
    "not_in_optimizer_list_of_blocks": [
        ("not-in-optimizer", "x = self.lin(x)", "4 layers, `LayerNorm` and `Linear`, got",
         "`self.blocks = nn.ModuleList(...)` in __init__() of Net"),
    ],
    "softmax_of_other_dimension": [
        ("softmax-over-batch", "scores = F.log_softmax(net(torch.randn(2, 5, 4)), dim=1)",
         "log_softmax() of (2, 5, 3) goes over dimension 1", "`dim=2`"),
    ],
    "masked_too_late_by_filling": [
        ("masked-too-late",
         "weights = (q @ k.transpose(1, 2) / 2).softmax(-1).masked_fill(mask, 0.0)",
         "attention is masked after its softmax", "mask the scores before softmax()"),
    ],
    "zero_gradient_of_two_factors": [
        ("zero-gradient", "rating = (users(u) * items(v)).sum(1) + bias(u).squeeze(1)",
         "got gradients of exactly 0", "begin with random weights"),
    ],
    "zero_gradient_of_no_overlap": [
        ("zero-gradient", "inter = sides[:, 0] * sides[:, 1]", "got gradients of exactly 0",
         "the generalized IoU"),
    ],
    "not_in_optimizer_of_zeros": [
        ("not-in-optimizer", "net[0] = Adapted(net[0])", "`net.0.A`, `net.0.B` got gradients",
         "make the optimizer after the last change"),
    ],
    "nan_of_a_zero_share": [
        ("nan-forward", "loss = (q * (q.log() - p.log())).sum(1).mean()",
         "(the input is 0, the other one is -inf there)", "everything computed from it is nan"),
    ],
    "no_gradient_of_an_online_network": [
        ("no-gradient", "p, z = predictor(online(x)).detach(), target(x + 0.1)",
         "never got a gradient", "detach()"),
    ],
    "spread_target_of_an_accuracy": [
        ("spread-target", "right = pred == y", "`pred` has the shape (16, 1) and `y` (16,): their "
         "comparison is (16, 16)", "tells nothing of how good the network is"),
    ],
    "spread_target_of_a_count": [
        ("spread-target", "print(net(x).argmax(1, keepdim=True).eq(y).sum().item())",
         "has the shape (16, 1) and `y` (16,)", ".unsqueeze(1)` on `y`"),
    ],
    "spread_target_of_an_error": [
        ("spread-target", "print(torch.sqrt(torch.mean((y - pred) ** 2)))",
         "`y` has the shape (16, 1) and `pred` (16,): their difference is (16, 16)",
         ".squeeze(1)` on `y`"),
        ("spread-target", "print(nn.functional.l1_loss(net(x), y[:, 0]))",
         "the output has the shape (16, 1) and the target (16,)",
         "tells nothing of how good the network is"),
    ],
    "scaled_step": [
        ("scaled-step", "opt.step()", "the gradients of the loss times the scaler's factor",
         "`scaler.step(opt)` instead, and `scaler.update()` after it"),
    ],
    "constant_part_of_an_item": [
        ("constant-penalty",
         "loss = nn.functional.mse_loss(net(x), y).item() + 0.1 * net.weight.pow(2).sum()",
         "`nn.functional.mse_loss(net(x), y).item()` is a part of the loss that has no gradient",
         "item() gives a plain number"),
    ],
    "exhausted_penalty": [
        ("exhausted", "params = net.parameters()", "`params` can be gone through only once",
         "`params = list(...)`"),
    ],
    "same_state_of_the_last_step": [
        ("same-state", "least, best = loss.item(), net.state_dict()", "loaded again at",
         "only in this run the last one was the best"),
    ],
    "same_network_of_an_average": [
        ("same-network", "self.shadow = net", "`self.shadow` is the same network as `net`",
         "`self.shadow = copy.deepcopy(net)`"),
    ],
    "picked_over_batch": [
        ("picked-over-batch", "_, predicted = torch.max(output.data, 0)",
         "the largest numbers of an output (10, 10) are looked for along its 10 rows",
         "not the class that fits an example best"),
        ("softmax-over-batch", "print(nn.functional.softmax(output, 0)[:, 1])",
         "goes over its 10 rows", "`dim=1`, or `dim=-1`"),
    ],
    "picked_over_batch_misfit": [
        ("picked-over-batch", "predicted = output.argmax(dim=0)",
         "of an output (10, 4) are looked for along its 10 rows", "`argmax(dim=1)`"),
        ("error", "print((predicted == labels).sum())", "The size of tensor a (4)",
         "eq() was given an int64 tensor of shape (4,)"),
    ],
    "spread_target_of_functions": [
        ("spread-target", "print(torch.eq(predicted, y).float().mean())",
         "`predicted` has the shape (12, 1) and `y` (12,): their comparison is (12, 12)",
         "the number tells nothing"),
        ("spread-target", "print(torch.sub(net(x), y).abs().mean())",
         "their difference is (12, 12)", "the number tells nothing"),
    ],
    "same_layer_by_name": [
        ("same-layer", "layers += [hidden, nn.Tanh()]",
         "`layers += [hidden, nn.Tanh()]` is the same layer", "`copy.deepcopy(hidden)`"),
        ("same-layer", "self.blocks = nn.ModuleList([block for _ in range(3)])",
         "`[block for _ in range(3)]` is the same layer several times", "`copy.deepcopy(block)`"),
    ],
    "carried_over_old_policy": [
        ("error", "loss.backward(retain_graph=True)", "modified by an inplace operation",
         "`before` was computed before this loop"),
    ],
    "carried_over_state_of_a_layer": [
        ("error", "loss.backward()", "Trying to backward through the graph a second time",
         "`self.state = tuple(h.detach() for h in self.state)`"),
    ],
    "attack_in_step": [
        ("attack-in-step", "loss.backward()", "4 steps went by their sum",
         "`g, = torch.autograd.grad(loss, x)`"),
    ],
    "attack_in_step_once": [
        ("attack-in-step", "nn.functional.cross_entropy(net(x), labels).backward()",
         "4 steps went by their sum", "optimizer.zero_grad()"),
    ],
    "schedule_wrong_way_of_an_entry": [
        ("schedule-wrong-way", 'schedule.step(log["val_acc"].item())',
         "waits for `val_acc` to fall", '`mode="max"`'),
    ],
    "schedule_too_fast_by_steps": [
        ("schedule-too-fast",
         "schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.1)",
         "has fallen from 0.01 to 1e-11, in 50 steps: this schedule steps in each batch",
         "once in each epoch"),
    ],
    "half_of_scores": [
        ("half-of-scores", "predicted = (output > 0.5).float()",
         "scores are compared with 0.5, or rounded", "`torch.sigmoid(output) > 0.5`"),
        ("half-of-scores", "print((torch.round(output) == y).float().mean())",
         "scores are compared with 0.5, or rounded", "`output > 0`"),
    ],
    "softmax_of_other_dimension_of_pixels": [
        ("softmax-over-batch", "shares = torch.softmax(net(images), dim=-1)",
         "softmax() of (2, 4, 8, 8) goes over dimension 3, and the mask that it meets has its "
         "classes in dimension 1", "`dim=1`"),
    ],
    "wrong_sign_of_rewards_of_a_normal": [
        ("wrong-sign", "loss = (dist.log_prob(actions).sum(1, keepdim=True) * "
         "(reward - reward.mean())).mean()", "times its reward is made small",
         "put a minus in front of it"),
        ("wrong-sign", "policy_loss = choice.log_prob(action) * td_error.detach()",
         "times its reward is made small", "put a minus in front of it"),
    ],
    "out_of_reach_of_a_difference": [
        ("out-of-reach", "loss = (net(x) - (x[:, :1] * 20 + 100)).pow(2).mean()",
         "the output lies between 0 and 1, by sigmoid()", "scale the target to the same range"),
    ],
    "error_in_a_worker": [
        ("error", "return self.images[k], self.labels[k]",
         "in a worker of the DataLoader, IndexError: index 20", ""),
    ],
    "error_closure_returns_nothing": [
        ("error", "optimizer.step(closure)", "NoneType", "end it with `return loss`"),
    ],
    "error_switched_off": [
        ("error", "loss.backward()",
         "does not require grad", "this lasts until it is called again"),
    ],
    "error_module_for_a_tensor": [
        ("error", "return self.second(h)",
         "must be Tensor, not ReLU", "`nn.ReLU()(self.first(x))`"),
    ],
    "error_average_of_whole_numbers": [
        ("error", "average[key] /= 2", "output type Long", "num_batches_tracked"),
    ],
    "error_slope_at_a_detached": [
        ("error", "slope, = torch.autograd.grad(out.sum(), between, create_graph=True)",
         "does not require grad", "`between.requires_grad_()`"),
    ],
    "error_rows_of_a_view": [
        ("error", "loss = criterion(net(torch.randn(4, 3, 8, 8)), torch.randint(10, (4,)))",
         "batch_size (16)", "has made 16 rows of 4 examples, which have 512 numbers each"),
    ],
    "error_steps_of_a_schedule": [
        ("error", "scheduler.step()",
         "Tried to step 3 times", "`total_steps=epochs * len(loader)`"),
    ],
    "error_gradcheck_in_float32": [
        ("error", "torch.autograd.gradcheck(Cube.apply, (torch.randn(5, 4, requires_grad=True),))",
         "with respect to input 0", "float32 has 7 digits"),
    ],
    "error_hidden_method": [
        ("error", "net.train()", "'bool' object is not callable", "`self.train = ...` in Net"),
    ],
    "error_mean_of_rows": [
        ("error", "x = x - x.mean(1)", "size of tensor a (5)", "keepdim=True in the mean()"),
    ],
    "target_in_input": [
        ("target-in-input", "loss = nn.functional.mse_loss(last(out[:, -1]).squeeze(1), y[batch])",
         "of 10 steps is step 10", "`data[i + n]`"),
    ],
    "not_shifted_in_a_decoder": [
        ("not-shifted", "h = decoder(embedding(target[:, t]), h)",
         "to predict the token that it was given", "`target[:, t - 1]` in step t"),
    ],
    "not_shifted_step_by_step": [
        ("not-shifted", "h = decoder(embedding(target[:, t]), h)",
         "to predict the token that it was given", "`target[:, t - 1]` in step t"),
    ],
    "spread_target_of_a_last_batch": [
        ("spread-target", "loss = nn.functional.mse_loss(out, target)",
         "(3, 1) and the target (3,)", "give both the same shape"),
    ],
    "zero_gradient_of_a_state": [
        ("zero-gradient", "h = torch.tanh(self.given(x[:, t]) + self.state(h))",
         "`net.state.weight`", "before the loop over the steps"),
    ],
    "half_of_bidirectional": [
        ("half-of-bidirectional", "return self.last(out[:, -1])",
         "the last of 5 steps of both directions", "torch.cat([h_n[-2], h_n[-1]], dim=1)"),
    ],
    "mixed_dimensions_of_states": [
        ("mixed-dimensions", "scores = last(h.view(6, -1))",
         "the states (2, 6, 8) of nn.GRU become (6, 16)", "`h_n.transpose(0, 1).reshape(6, -1)`"),
    ],
    "mean_over_batch_behind_a_norm": [
        ("mean-over-batch", "scores = last(h.mean(dim=1))",
         "goes over the 7 examples", "nn.MultiheadAttention(..., batch_first=True)"),
    ],
    "inverted_mask": [
        ("inverted-mask", "h = encoder(embedding(tokens), src_key_padding_mask=tokens != 0)",
         "keeps 35 that are all 0", "`tokens == 0`, or `~mask`"),
    ],
    "positions_of_batch": [
        ("positions-of-batch", "h = h + self.positions[:h.size(0)]",
         "to each of 6 examples", "nn.TransformerEncoder was made with batch_first=True"),
    ],
    "normalized_over_batch": [
        ("normalized-over-batch", "a = F.normalize(a, dim=0)",
         "lengths along dimension 0", "`dim=1`"),
    ],
    "normalized_over_batch_times_a_scale": [
        ("normalized-over-batch", "a = F.normalize(images(x), dim=0)",
         "lengths along dimension 0", "`dim=1`"),
    ],
    "spread_target_of_rows": [
        ("spread-target", "h = h - h.mean(1)",
         "`h.mean(1)` has one number for each row", "`h.mean(1, keepdim=True)`"),
    ],
    "no_such_setting_of_a_group": [
        ("no-such-setting", "optimizer = torch.optim.Adam(",
         "'learning_rate', which Adam does not know", "`'lr': ...`"),
    ],
    "no_such_setting_mode_by_hand": [
        ("no-such-setting", "net.training = False", "the mode of `net` alone", "`net.eval()`"),
    ],
    "average_of_the_last": [
        ("average-of-the-last", "for a, p in zip(average.parameters(), net.parameters()):",
         "`average` is almost `net` itself", "decay * ema + (1 - decay) * p"),
    ],
    "summed_batches_divided_too_late": [
        ("summed-batches", "loss.backward()",
         "the gradients of 4 batches", "`loss = loss / steps`"),
    ],
    "wrong_sign_of_an_own_optimizer": [
        ("wrong-sign", 'p.add_(p.grad, alpha=group["lr"])',
         "`net.weight`, `net.bias` moved along the gradient", "subtract it"),
    ],
    "state_not_kept": [
        ("state-not-kept", "state = self.state.get(p, {})", "is still empty", "`self.state[p]`"),
    ],
    "no_gradient_functional_call": [
        ("no-gradient", "params = {name: p.detach() for name, p in net.named_parameters()}",
         "`net.weight`, `net.bias` never", "`p` instead of `p.detach()`"),
    ],
    "step_of_stacked_networks": [
        ("step-without-gradient", "optimizer.step()",
         "no gradient in its 8 parameters", "torch.optim.Adam(params.values(), ...)"),
    ],
    "lost_loss": [
        ("lost-loss", "loss =+ 0.001 * penalty",
         "`=+` gives `loss` a new value", "`loss = loss + 0.001 * penalty`"),
    ],
    "lost_loss_of_each_step": [
        ("lost-loss", "loss = criterion(out[:, t], tags[:, t])",
         "backward() after it gets the last one",
         "`loss = loss + criterion(out[:, t], tags[:, t])`"),
    ],
    "counted_twice": [
        ("counted-twice", "loss.backward()",
         "the second backward() of the same loss", "leave out one of the two"),
    ],
    "wrong_sign_of_a_penalty": [
        ("wrong-sign", "size = sum(p.pow(2).sum() for p in net.parameters())",
         "the size of parameters is made large", "a penalty is added"),
    ],
    "begun_anew": [
        ("begun-anew", "net.apply(start)",
         "3 times, and the same optimizer", "before training begins"),
    ],
    "momentum_of_new": [
        ("momentum-of-new", "self.norm = nn.BatchNorm1d(8, momentum=0.99)",
         "`net.norm` has momentum=0.99", "`momentum=0.01`"),
    ],
    "other_numbers": [
        ("other-numbers", "h = checkpoint(body, torch.randn(8, 4), use_reentrant=False, "
         "preserve_rng_state=False)",
         "draws random numbers", "leave out preserve_rng_state=False"),
    ],
    "teacher_in_training_mode": [
        ("teacher-in-training-mode", "wanted = teacher(x).softmax(1)",
         "`teacher`, which is not trained", "`teacher.eval()` once"),
    ],
    "largest_of_all": [
        ("largest-of-all", "q = net(state).max(1)[0]",
         "not of the one that was taken", "`q.gather(1, action.unsqueeze(1)).squeeze(1)`"),
    ],
    "noise_not_seen": [
        ("noise-not-seen", "loss = nn.functional.mse_loss(net(noisy), noise)",
         "goes into nothing else", "`noise` in place of `torch.randn_like(x)`"),
    ],
    "mixed_dimensions_of_a_text": [
        ("mixed-dimensions", "loss = criterion(scores.view(-1, 12), wanted.reshape(-1))",
         "the output (9, 6, 12) and the target (6, 9)", "`output.transpose(0, 1)`"),
    ],
    "lost_loss_of_a_statement": [
        ("lost-loss", "loss + 0.5 * penalty",
         "a result that nothing uses", "`loss = loss + 0.5 * penalty`"),
    ],
    "no_such_setting_compared": [
        ("no-such-setting", "p.requires_grad == True",
         "this asks whether `p.requires_grad` is `True`", "`p.requires_grad = True`"),
    ],
    "learned_advantage_of_a_normal": [
        ("learned-advantage",
         "loss = -(policy.log_prob(action).sum(1) * advantage).mean() + advantage.pow(2).mean()",
         "an advantage that backward() goes into", "`advantage.detach()`"),
    ],
    "trained_teacher_written_by_data": [
        ("trained-teacher", "z = F.normalize(target(x + 0.1 * torch.randn_like(x)), dim=1)",
         "backward() goes through `target` too", "call `target` inside `with torch.no_grad():`"),
    ],
    "detached_draw_of_two_numbers": [
        ("detached-draw", "z = mu.data + torch.exp(0.5 * log_var.data) * torch.randn_like(mu)",
         "meet the loss in the divergence only", "draw with the tensors themselves"),
    ],
    "error_hook_of_two_gradients": [
        ("error", "loss.backward()", "got 2, but expected 1", "`(grad_input[0] * 0.5,)`"),
    ],
    "error_no_such_module": [
        ("error", "import torch_helpers_of_mine", "No module named 'torch_helpers_of_mine'",
         "beside the script and among the packages"),
    ],
    "error_list_of_a_loader": [
        ("error", "loss = nn.functional.cross_entropy(net(x), y)",
         "must be Tensor, not list", "`x` is a list of 3 tensors"),
    ],
    "error_flattened_otherwise": [
        ("error", "return self.last(x.view(-1, 4 * 5 * 5))",
         "invalid for input of size", "each of the 6 examples has 256 numbers here"),
    ],
    "noise_not_seen_of_a_function": [
        ("noise-not-seen", "loss = (net(given) - noise).pow(2).mean()",
         "goes into nothing else", "`noise` in place of `torch.randn_like(x)`"),
    ],
    "counted_twice_as_a_part": [
        ("counted-twice", "loss.backward()", "is a part of this one", "leave out one of the two"),
    ],
    "detached_state": [
        ("detached-state", "h = h.detach()", "`h` is detached in each step", "hand on `h` itself"),
    ],
    "same_tensor_for_each_sample": [
        ("same-tensor", "return self.filled, self.data[i].sum().gt(0).long()",
         "all 16 samples of a batch are one tensor", "`.clone()` of a tensor"),
    ],
    "lost_loss_of_a_mixture": [
        ("lost-loss", "loss = lam * criterion(out, y) + (1 - lam) * criterion(out, y)",
         "both parts of this mixture are `criterion(out, y)`", "the targets of the other examples"),
    ],
    "focal_of_mean": [
        ("focal-of-mean", "return ((1 - pt) ** gamma * ce).mean()", "from the mean loss of the "
         "batch", "reduction='none'"),
    ],
    "narrow_scores": [
        ("narrow-scores", "loss = F.cross_entropy(logits, torch.arange(32))", "cosines times 0.07",
         "begins near 3.47, and cannot fall below 3.33"),
    ],
    "clipped_wrong_way": [
        ("clipped-wrong-way", "loss = -torch.max(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()",
         "torch.max() picks the better one", "torch.min() here"),
    ],
    "ratio_of_itself": [
        ("ratio-of-itself", "ratio = (new - old).exp()", "is 1 for all actions, also after steps",
         "before the first step with a batch"),
    ],
    "ratio_of_itself_with_a_gradient": [
        ("ratio-of-itself", "ratio = (new - old).exp()", "its gradient is 0: backward() goes",
         "when the actions are drawn"),
    ],
    "ratio_of_itself_of_a_function": [
        ("ratio-of-itself", "ratio = torch.exp(logprob(s, a) - logprob(s, a))",
         "its gradient is 0: backward() goes", "when the actions are drawn"),
    ],
    "ratio_of_itself_in_two_calls": [
        ("ratio-of-itself", "ratio = torch.exp(new - old)", "its gradient is 0: backward() goes",
         "when the actions are drawn"),
    ],
    "overlap_of_scores": [
        ("overlap-of-scores", "return 1 - (2 * inter + smooth) / (p.sum() + t.sum() + smooth)",
         "computed of scores from -", "`torch.sigmoid(scores)` first"),
    ],
    "changed_sample": [
        ("changed-sample", "img.sub_(0.5).div_(0.5)", "changes `img`, which is a part of",
         "`.clone()`"),
    ],
    "alike_inputs": [
        ("alike-inputs", "loss = nn.functional.cross_entropy(net(img), y)", "all numbers are 0",
         "`x // 255`"),
    ],
    "draws_in_closure": [
        ("draws-in-closure", "def closure():", "`closure` several times", "draw before step()"),
    ],
    "wrong_deviation_even_noise": [
        ("wrong-deviation", "z = mu + eps * torch.exp(0.5 * logvar)", "between 0 and 1",
         "`torch.randn_like(mean)`"),
    ],
    "own_target_of_equal_views": [
        ("own-target", "loss = F.cross_entropy(logits, torch.arange(32))", "equal to them",
         "draw the second view anew"),
    ],
    "spread_target_of_a_target_of_rewards": [
        ("spread-target", "loss = (pred - y).pow(2).mean()", "`y` is (32, 32) and the other "
         "operand (32, 1)", "`keepdim=True`"),
    ],
    "scaled_with_test": [
        ("scaled-with-test", "mean, std = X.mean(0), X.std(0)", "the 400 examples of the training "
         "and the 100 of the test together", "split first"),
    ],
    "overlapping_split": [
        ("overlapping-split", "train, test = random_split(ds, [450, len(ds) - 450])",
         "of the 130 windows of the test", "split the series in time first"),
    ],
    "trained_in_evaluation": [
        ("trained-in-evaluation", "opt.step()", "9 times, in eval() mode", "leave out backward()"),
    ],
    "first_batch_alone": [
        ("first-batch-alone", "if i % accum == 0:", "of one batch, those after it of 4",
         "`(i + 1) % accum == 0`"),
    ],
    "no_positions": [
        ("no-positions", "h = self.emb(x)", "attention is not told where the tokens stand",
         "`h = embedding(x) + positions(torch.arange(x.size(1)))`"),
    ],
    "no_positions_of_an_encoder": [
        ("no-positions", "return self.out(self.enc(self.emb(x)))", "where the tokens stand",
         "add a vector for each position"),
    ],
    "rare_class_lighter": [
        ("rare-class-lighter", "loss = crit(net(X[b]), y[b])", "class 1 is the rarest",
         "`weight = counts.sum() / counts`"),
    ],
    "rare_class_lighter_of_two": [
        ("rare-class-lighter", "loss = crit(net(X[b]).squeeze(1), y[b])", "class 1 is the rarest",
         "`pos_weight = negatives / positives`"),
    ],
    "no_probabilities_softmax_of_several": [
        ("no-probabilities", "loss = crit(torch.softmax(net(x), 1), y)", "of a softmax has rows",
         "take sigmoid()"),
    ],
    "no_log_softmax_ctc_of_scores": [
        ("no-log-softmax", "loss = crit(out(h), *targets)", "numbers above 0", "log_softmax("),
    ],
    "not_in_optimizer_made_by_the_first_call": [
        ("not-in-optimizer", "self.head = nn.Linear(h.size(1), 1)", "`net.head.weight`",
         "puts them into the network at its first call"),
    ],
    "not_cleared_clipped": [
        ("not-cleared", "loss.backward()", "added its gradients to those of the step before",
         "call optimizer.zero_grad()"),
    ],
    "not_cleared_clipped_by_hand": [
        ("not-cleared", "out.pow(2).mean().backward()", "added its gradients to those",
         "call optimizer.zero_grad()"),
    ],
    "applied_twice_rates": [
        ("applied-twice", "loss = nn.functional.poisson_nll_loss(rate, counts)",
         "was given rates, by softplus()", "`log_input=False`"),
    ],
    "shuffled_alone_drawn_apart": [
        ("shuffled-alone", "xb, yb = X[torch.randperm(200)[:40]], y[torch.randperm(200)[:40]]",
         "`X` and `y` are read in two orders", "one order for both"),
    ],
    "wrong_sign_of_a_variance": [
        ("wrong-sign", "loss = (0.5 * (x[:, :1] - mu) ** 2 / lv.exp() - 0.5 * lv).mean()",
         "the logarithm of the variance is made large", "a plus"),
    ],
    "wrong_sign_of_a_variance_product": [
        ("wrong-sign", "nll = torch.exp(-lv) * (x[:, :1] - mu) ** 2 - lv",
         "the logarithm of the variance is made large", "the loss falls without end"),
    ],
    "shifted_twice": [
        ("shifted-twice", "loss = nn.functional.cross_entropy(logits, y)", "the token after the "
         "next one", "compare all positions"),
    ],
    "returns_backwards": [
        ("returns-backwards", "returns.append(total)", "from the last step to the first",
         "`returns.reverse()` after the loop"),
    ],
    "applied_twice_in_a_distribution": [
        ("applied-twice", "log_probs.append(choice.log_prob(action))", "was given results of "
         "softmax()", "`Categorical(probs=...)`"),
    ],
    "lost_loss_of_a_method": [
        ("lost-loss", "p.grad.clamp(-1, 1)", "makes a new tensor, and nothing uses it",
         "`p.grad.clamp_(...)`"),
    ],
    "function_in_place": [
        ("function-in-place", "x.mul_(slope)", "changes its argument `x` in place",
         "`ctx.mark_dirty(x)`"),
    ],
    "function_in_place_of_a_gradient": [
        ("function-in-place", "g[x < 0] = 0", "changes the gradient `g`", "`g = g.clone()`"),
    ],
    "function_keeps_result": [
        ("function-keeps-result", "ctx.y = y", "`ctx.y` keeps the result",
         "`ctx.save_for_backward(y)`"),
    ],
    "last_of_padded_texts": [
        ("last-of-padding", "return self.answer(out[:, -1])", "16 are filled up at the end with "
         "token 0", "pack_padded_sequence("),
    ],
    "last_of_padded_texts_in_the_state": [
        ("last-of-padding", "return self.answer(h[-1])", "16 are filled up at the end with token 0",
         "pack_padded_sequence("),
    ],
    "no_gradient_of_a_router": [
        ("no-gradient", "choice = self.router(x).argmax(dim=-1)", "`net.router.weight`, "
         "`net.router.bias` never", "F.gumbel_softmax(scores, hard=True)"),
    ],
    "first_batch_alone_inverted": [
        ("first-batch-alone", "if (i + 1) % 4:", "holds in every iteration but one of 4",
         "`if (i + 1) % 4 == 0:`"),
    ],
    "schedule_too_fast_by_hand": [
        ("schedule-too-fast", "optimizer.step()", "the learning rate falls before each step",
         "once in each epoch"),
    ],
    "forgotten_buffer": [
        ("forgotten-buffer", "self.mean = 0.9 * self.mean + 0.1 * x.mean(0)",
         "`self.mean` changes in training", "`self.register_buffer('mean', ...)`"),
    ],
    "out_of_reach_rectified": [
        ("out-of-reach", "loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True) - 2)",
         "the output is never below 0, by relu()", "leave out the relu after the last layer"),
    ],
    "spread_target_of_an_error_by_parts": [
        ("spread-target", 'err = torch.abs(net(batch["features"]) - batch["price"])',
         "their difference is (32, 32)", "the network learns their mean"),
    ],
    "same_state_of_entries": [
        ("same-state", "best = {name: t for name, t in net.state_dict().items()}",
         "loaded again at", "`copy.deepcopy(net.state_dict())`"),
    ],
    "growing_meter": [
        ("growing", "self.sum += val * n", "`meter.sum` holds them",
         "`meter.sum += (val * n).item()`"),
    ],
    "lost_loss_of_each_network": [
        ("lost-loss", "total =+ nn.functional.mse_loss(net(x), y)", "gives `total` a new value",
         "`total = total + "),
    ],
    "rate_too_high": [
        ("rate-too-high", "optimizer = torch.optim.Adam(net.parameters(), lr=10)",
         "the learning rate is 10, and the weights were about 0.2", "wipes out what the weights"),
    ],
    "rate_too_low": [
        ("rate-too-low", "optimizer = torch.optim.SGD(net.parameters(), **settings)",
         "40 steps have moved no parameter by more than", "the learning rate, 1e-09, times"),
    ],
    "decayed_away": [
        ("decayed-away", "optimizer = torch.optim.SGD(net.parameters(), lr=0.05, weight_decay=10)",
         "`net.0.weight`, `net.2.weight` have shrunk to less than half",
         "weight_decay is 10"),
    ],
    "schedule_of_zeros": [
        ("schedule-of-zeros", "scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, "
         "lambda step: min(1, step // 20))", "the learning rate is 0 in 20 of 30 steps",
         "computed with `//`"),
    ],
    "empty_loader": [
        ("empty-loader", "for batch, target in loader:", "gives no batch at all",
         "the dataset has 50 examples, fewer than the 64 of a batch"),
    ],
    "empty_loader_of_nothing": [
        ("empty-loader", 'for x, y in DataLoader(Files(["a.png", "b.png"]), batch_size=2):',
         "gives no batch at all", "its dataset has no examples"),
    ],
    "trained_on_test": [
        ("trained-on-test", "for batch, target in test_loader:",
         "trained with 20 examples here, and measured with the same ones", "has 80 examples"),
    ],
    "trained_on_test_of_slices": [
        ("trained-on-test", "for batch, target in valid:",
         "trained with 20 examples here, and measured with the same ones", "has 80 examples"),
    ],
    "out_of_step": [
        ("out-of-step", "sequences = sorted((s for s, _ in batch), key=len, reverse=True)",
         "`collate` puts one part of a batch into another order",
         "`batch = sorted(batch, key=...)`"),
    ],
    "shuffled_alone_each": [
        ("shuffled-alone", "y = y[torch.randperm(80)]", "`X` and `y` are read in two orders",
         "one order for both"),
    ],
    "shuffled_alone_each_in_a_dataset": [
        ("shuffled-alone", "y = y[torch.randperm(len(y))]", "`X` and `y` are read in two orders",
         "one order for both"),
    ],
    "left_over": [
        ("left-over", "d_loss.backward()", "has left in `critic.0.weight`",
         "call opt_d.zero_grad() right before this backward()"),
    ],
    "frozen_vectors": [
        ("frozen-vectors", "self.embedding = nn.Embedding.from_pretrained(vectors)",
         "`net.embedding.weight` is frozen", "freeze=False"),
    ],
    "shared_rows": [
        ("shared-rows", "output = net(x[50:])",
         "30 of these 50 examples were trained with too, the other 20 were not", "overlap"),
    ],
    "nan_of_a_length": [
        ("nan-backward", "e = e / e.norm(dim=-1, keepdim=True)", "div() made nan out of finite "
         "numbers", "`F.normalize(e, dim=-1)`"),
    ],
    "constant_penalty_of_what_is_detached": [
        ("constant-penalty", "slopes = torch.autograd.grad(outputs=scores, inputs=mixed,",
         "`10 * penalty(critic, real, fake)` is a part of the loss that has no gradient",
         "create_graph=True"),
    ],
    "wrong_sign_of_a_hinge": [
        ("wrong-sign", "loss = F.relu(1.0 + neg_dist - pos_dist).mean()",
         "`neg_dist` is made small here, and `pos_dist` large",
         "`pos_dist - neg_dist + margin` inside of the hinge"),
    ],
    "wrong_sign_of_a_hinge_of_lengths": [
        ("wrong-sign", "return torch.clamp(d_negative - d_positive + self.margin, min=0).mean()",
         "`d_negative` is made small here, and `d_positive` large",
         "`d_positive - d_negative + margin` inside of the hinge"),
    ],
    "decayed_away_slowly": [
        ("decayed-away", "optimizer = torch.optim.SGD(net.parameters(), lr=0.02, weight_decay=4)",
         "`net.0.weight`, `net.2.weight` have shrunk to less than a hundredth",
         "weight_decay is 4"),
    ],
    "left_over_of_this_turn": [
        ("left-over", "loss.backward()", "has left in `D.weight`", "opt_d.step() goes by the sum"),
    ],
    "decayed_away_bounded": [
        ("decayed-away",
         "optimizer = torch.optim.AdamW(net.parameters(), lr=0.001, weight_decay=50.0)",
         "have shrunk to less than half", "weight_decay is 50"),
    ],
    "softmax_over_batch_pooling_of_rows": [
        ("softmax-over-batch", "others = score(x).view(4, 5).softmax(0)",
         "(4, 5) goes over dimension 0", "`dim=1`"),
        ("softmax-over-batch", "weights = torch.softmax(score(x).squeeze(-1), dim=0)",
         "(4, 5) goes over dimension 0", "`dim=1`"),
    ],
    "no_positions_one_for_all": [
        ("no-positions", "h = self.tokens(x) + self.pe[:, x.size(1)]", "or the same for all",
         "add a vector for each position"),
        ("no-positions", "h = self.tokens(x)", "or the same for all",
         "add a vector for each position"),
    ],
    "mixed_dimensions_of_sequences": [
        ("mixed-dimensions", "steps = x.view(5, 6, 3)", "a layer gets data (6, 5, 3) that were "
         "given the shape (5, 6, 3)", "`.transpose(0, 1)`"),
    ],
    "shuffled_alone_in_place": [
        ("shuffled-alone", "rng.shuffle(labels)", "`points` and `labels` are read in two orders",
         "one order for both"),
    ],
    "scaled_with_test_in_a_sum": [
        ("scaled-with-test", "x = (raw - raw.mean(0)) / raw.std(0)", "the 20 of the test together",
         "split first"),
    ],
    "wrong_sign_of_a_log_determinant": [
        ("wrong-sign", "log_prob = base - log_det", "the log-determinant of the flow is made small",
         "it is added"),
    ],
    "wrong_sign_of_a_turned_ratio": [
        ("wrong-sign", "ratio = (old_log_prob - log_prob).exp()",
         "of the old probability to the new one", "actions become rarer"),
    ],
    "wrong_sign_of_a_variance_halved": [
        ("wrong-sign",
         "loss = (0.5 * torch.exp(-log_var) * (x[:, :1] - mean) ** 2 - 0.5 * log_var).mean()",
         "the logarithm of the variance is made large", "a plus"),
    ],
    "learned_weight": [
        ("learned-weight", "loss = (torch.exp(-s) * parts).sum()", "`s` only weighs a part of the "
         "loss", "`torch.exp(-s) * loss + s`"),
    ],
    "same_memory_of_an_average": [
        ("same-memory", "self.shadow = {name: p.data for name, p in net.named_parameters()}",
         "lies in the memory of", "`p.detach().clone()`"),
    ],
    "collapse": [
        ("collapse", "loss = loss - 0.5 * F.cosine_similarity(head(b), a).mean()",
         "two outputs of one network are made alike", "`.detach()` on one of the two"),
        ("collapse", "loss = -0.5 * F.cosine_similarity(head(a), b).mean()",
         "two outputs of one network are made alike", "nothing keeps different inputs apart"),
        ("collapse", "loss = F.mse_loss(net(x), net(x + 0.1 * torch.randn(16, 6)))",
         "two outputs of one network are made alike", "`.detach()` on one of the two"),
    ],
    "wrong_sign_of_turned_labels": [
        ("wrong-sign", "apart = same * torch.clamp(1.0 - distance, min=0).pow(2)",
         "pairs of the same class is made large", "the other way round"),
    ],
    "place_as_value": [
        ("place-as-value", "best = target_net(after).max(dim=1)[1]",
         "the number of the best action is taken for its value", "`.max(1).values`"),
    ],
    "scaled_by_rows": [
        ("scaled-by-rows", "x = x / x.std(dim=1, keepdim=True)", "each of the 40 examples",
         "scale each column"),
    ],
    "wrong_sign_of_a_layers_log_determinant": [
        ("wrong-sign", "first = log_scale.sum()", "the log-determinant of the flow is made small",
         "`-s.sum(1)`"),
    ],
    "same_memory_of_slow_weights": [
        ("same-memory",
         'self.slow = [[p.detach() for p in group["params"]] for group in optimizer.param_groups]',
         "lies in the memory of", "`p.detach().clone()`"),
    ],
    "after_a_long_training": [
        ("half-of-scores", "right = ((net(x) > 0.5) == (x[:, :1] > 0)).sum()",
         "scores are compared with 0.5", "`output > 0`"),
        ("forgotten-buffer", "self.mean = 0.9 * self.mean + 0.1 * x.mean(0)",
         "`self.mean` changes in training", "register_buffer"),
    ],
    "units_alike_by_a_function": [
        ("units-alike", "nn.init.constant_(module.weight, 0.1)",
         "all rows of `net.0.weight` began equal", "begin with random weights"),
    ],
    "not_called_zero": [
        ("not-called", "w.grad.zero_", "names a method and does not call it", "`w.grad.zero_()`"),
    ],
    "nan_of_a_deviation_in_a_function": [
        ("nan-forward", "return (rewards - rewards.mean()) / (rewards.std() + 1e-8)",
         "`advantage` has nan or inf in it since this line", "that of a single number is nan"),
    ],
    "inverted_mask_of_a_loss": [
        ("inverted-mask", "loss = (losses * mask).sum() / mask.sum()",
         "keeps 24 targets that are all 0", "`target != 0`"),
    ],
    "scaled_without_test": [
        ("scaled-without-test", "right = (net(test).argmax(1) == y[40:]).float().mean()",
         "one of the 20 of the test has the mean", "scale the test by the same numbers"),
    ],
    "picked_over_batch_of_all": [
        ("picked-over-batch", "predicted = torch.argmax(output)",
         "argmax() without a dimension gives one place for the whole batch", "`argmax(dim=1)`"),
    ],
    "half_of_scores_squeezed": [
        ("half-of-scores", "right = ((net(x) > 0.5) == (y > 0)).float().mean()",
         "scores are compared with 0.5", "`output > 0`"),
    ],
    "nan_forward_of_neighbours": [
        ("nan-forward", "mean = adjacency @ h / degree", "`mean` has inf or nan in it since this "
         "line: addmm() was given it", "1 of 3 numbers in `degree` are 0"),
    ],
    "nan_forward_of_a_loop": [
        ("nan-forward", "returns = (returns - returns.mean()) / (returns.std() + 1e-8)",
         "`returns` has nan or inf in it since this line", "that of a single number is nan"),
    ],
    "error_between_two_backwards": [
        ("error", "critic_loss.backward()", "modified by an inplace operation",
         "call every backward() before step()"),
    ],
    "no_gradient_unused_result": [
        ("no-gradient", "self.norm(x)", "`net.0.norm.weight`, `net.0.norm.bias`, "
         "`net.1.norm.weight`, `net.1.norm.bias` never got a gradient",
         "`self.norm(x)` stands by itself"),
    ],
    "relu_before_log_softmax": [
        ("relu-before-loss", "scores = F.relu(self.second(h))",
         "relu is applied to the scores of log_softmax()", "leave out the relu"),
    ],
    "loaded_nothing_into_a_state": [
        ("loaded-nothing", "net.state_dict()[key] = torch.stack([state[key] for state in states])"
         ".mean(0)", "`net` keeps the numbers that it has",
         "`net.state_dict()[key].copy_(...)`"),
    ],
    "loaded_nothing_into_a_kept_state": [
        ("loaded-nothing", "mean[key] = decay * mean[key] + (1 - decay) * value",
         "`average` keeps the numbers that it has", "`average.load_state_dict(state)`"),
    ],
    "drawn_again": [
        ("drawn-again", "log_probs.append(choice.log_prob(choice.sample()))",
         "another draw than the action that was played, which was drawn at ",
         "`action = dist.sample()`"),
    ],
    "noise_not_seen_in_a_helper": [
        ("noise-not-seen", "return (net(torch.cat([noisy, t[:, None] / self.steps], 1)) - noise)"
         ".pow(2).mean()", "`noise`, which the network is to predict, goes into nothing else",
         "as an argument of disturbed()"),
    ],
    "spread_factor_of_a_table": [
        ("spread-target", "noisy = share * x + rest * noise", "`share` has one number for each of "
         "the 16 examples, and multiplies the 16 columns of (16, 16)", "`share.view(-1, 1)`"),
    ],
    "average_of_the_last_away": [
        ("average-of-the-last", "kept.add_((1 - self.decay) * gap)",
         "`average.kept` has moved away from `net` after each step: the distance grows by 5 %",
         "`ema.lerp_(p, 1 - decay)`"),
    ],
    "hooks_pile_up_of_a_maker": [
        ("hooks-pile-up", 'net[0].register_forward_hook(keep("first"))',
         "this hook was put on the same thing 6 times", "`handle.remove()`"),
    ],
    "sees_next_token_by_a_float_mask": [
        ("sees-next-token", "return self.out(h + self.attention(h, h, h, attn_mask=mask)[0])",
         "attends to it", "a mask of floating point numbers is added to the scores"),
    ],
    "sees_next_token_by_the_other_half": [
        ("sees-next-token", "return self.out(h + self.attention(h, h, h, attn_mask=mask)[0])",
         "attends to it", "this one hides the past and shows what is to come"),
    ],
    "counted_twice_by_a_running_sum": [
        ("counted-twice", "total.backward(retain_graph=True)",
         "each turn of the loop calls backward() on the sum of all losses so far",
         "backward() of each turn's own loss"),
    ],
    "blank_as_target": [
        ("blank-as-target", "loss = F.ctc_loss(log_probs, letters, torch.full((4,), 12), "
         "torch.full((4,), 3))", "of 12 targets of ctc_loss() are 0, which is its blank",
         "`targets + 1`"),
    ],
    "reset_by_target": [
        ("reset-by-target", "self.net.load_state_dict(self.target.state_dict())",
         "`agent.net` is set back to `agent.target`, 3 times",
         "`agent.target.load_state_dict(agent.net.state_dict())`"),
    ],
    "mixed_dimensions_of_a_sample": [
        ("mixed-dimensions", "image = torch.from_numpy(self.images[i]).reshape(3, 8, 8)",
         "an image (8, 8, 3) is given the shape (3, 8, 8)", "`.permute(2, 0, 1)`"),
    ],
    "error_scores_for_probabilities": [
        ("error", "choice = Categorical(policy(torch.randn(8, 4)))", "the constraint Simplex()",
         "`Categorical(logits=scores)`"),
    ],
    "error_deviation_below_zero": [
        ("error", "action = Normal(mean(state), deviation(state)).rsample()",
         "the constraint GreaterThan(lower_bound=0.0)", "`F.softplus(x)`"),
    ],
    "zero_gradient_buffer_of_zeros": [
        ("zero-gradient", "return x + self.scale * self.layer(x)", "`net.1.layer.0.bias`, "
         "`net.1.layer.0.weight` got gradients of exactly 0 in all 12 passes",
         "`self.scale` is a buffer of zeros"),
    ],
    "error_list_of_losses_of_scales": [
        ("error", "loss.backward()", "element 0 of tensors does not require grad",
         "torch.tensor(...) copies the numbers into a new tensor"),
    ],
    "error_class_of_no_grad": [
        ("error", "with torch.no_grad:", "context manager protocol",
         "with parentheses: `with torch.no_grad():`"),
    ],
    "error_index_of_a_loss": [
        ("error", "print(loss.data[0])", "invalid index of a 0-dim tensor", "`loss.item()`"),
    ],
    "error_whole_network_loaded": [
        ("error", "net = torch.load(file)", "you have two options, do those steps",
         "`torch.save(net.state_dict(), path)`"),
    ],
    "error_keys_of_other_sizes": [
        ("error", "net.load_state_dict(saved, strict=False)", "size mismatch for 2.weight",
         "its `2.weight` has the shape (10, 8), and here it is (3, 8)"),
    ],
    "error_step_with_the_loss": [
        ("error", "optimizer.step(loss)", "not callable", "step() does not take the loss"),
    ],
    "error_no_return": [
        ("error", "loss = nn.functional.mse_loss(out, torch.randn(4, 1))", "NoneType",
         "`return y`"),
    ],
    "error_pair_of_max": [
        ("error", "loss = nn.functional.mse_loss(best, torch.randn(8))", "return_types.max",
         "`best.values`, or `best.indices`"),
    ],
    "error_pair_of_max_given": [
        ("error", "loss = nn.functional.relu(net(torch.randn(8, 4)).max(1)).mean()",
         "return_types.max", "`net(torch.randn(8, 4)).max(1).values`"),
    ],
    "error_state_of_steps": [
        ("error", "out, _ = lstm(torch.randn(5, 3, 4), (zeros, zeros))", "Expected hidden[0] size",
         "make the layer with batch_first=True"),
    ],
    "error_state_of_steps_batch_first": [
        ("error", "out, h = gru(torch.randn(3, 5, 4), torch.zeros(1, 5, 6))",
         "Expected hidden size", "make the layer without batch_first=True"),
    ],
    "error_parameters_made_in_a_list": [
        ("error", "grads = torch.autograd.grad(loss, params)", "element 0 of tensors",
         "`params = [(p - 0.1 * g).requires_grad_() for p, g in zip("),
    ],
    "error_gradient_of_a_detached": [
        ("error", "print(torch.autograd.grad(y.sum(), y.detach()))", "does not require grad",
         "ask for the gradient of `y`"),
    ],
    "error_parameter_of_whole_numbers": [
        ("error", "scale = nn.Parameter(torch.tensor([1, 2, 3]))", "Only Tensors of floating",
         "Parameter() was given an int64 tensor"),
    ],
    "mixed_dimensions_of_steps_for_a_convolution": [
        ("mixed-dimensions", "out = net(x.view(8, 4, 10))",
         "data (8, 10, 4) that were given the shape (8, 4, 10)", "`.transpose(1, 2)`"),
    ],
    "spread_target_of_columns": [
        ("spread-target", "values = q(states)[:, actions]", "takes 8 of the 2 columns",
         "`q.gather(1, a.unsqueeze(1)).squeeze(1)`"),
    ],
    "same_tensor_before_and_after": [
        ("same-tensor", 'print("unchanged:", torch.equal(before, net[0].weight))',
         "`before` is compared with itself here", "same_tensor_before_and_after.py:7 is the "
         "parameter, or lies in its memory"),
        ("same-tensor", "print(all(torch.allclose(state[key], value) for key, value in "
         "net.state_dict().items()))", "`state[key]` is compared with itself",
         "copy.deepcopy(net.state_dict())"),
        ("same-tensor", "print((p == q).all(), (p.data - q.data).abs().max())",
         "`p` is compared with itself", "`p.detach().clone()`"),
    ],
    "lost_loss_of_a_bound": [
        ("lost-loss", "w.clamp(0, 1)", "`w.clamp(0, 1)` makes a new tensor, and nothing uses it",
         "`w.clamp_(...)`, which changes it in place"),
    ],
    "differentiated_target_that_spreads": [
        ("spread-target", "loss = nn.functional.mse_loss(value, target)",
         "the output has the shape (8, 1)", "give both the same shape"),
        ("differentiated-target", "target = reward + 0.99 * q(after).max(1)[0]",
         "reward plus discounted value of `q`", "with torch.no_grad()"),
    ],
    "no_gradient_of_a_slice": [
        ("no-gradient", "features = net[:2](x).data", "`net.0.weight`, `net.0.bias` never got",
         "leave out .data here"),
    ],
    "no_gradient_of_another_variable": [
        ("no-gradient", "out = net(x)", "`net.weight`, `net.bias` never got a gradient",
         "`out`, which the network gives here, goes into no loss"),
    ],
    "step_without_gradient_of_grad": [
        ("step-without-gradient", "optimizer.step()", "no gradient in its 2 parameters",
         "`for p, g in zip(params, grads): p.grad = g`"),
    ],
    "schedule_of_loss": [
        ("schedule-of-loss", "scheduler.step(loss.item())",
         "step() of this ExponentialLR is given `loss.item()`", "`scheduler.step()`, with nothing"),
    ],
    "normalized_over_batch_of_all": [
        ("normalized-over-batch", "a = a / a.norm()", "divides by the length of all numbers",
         "`F.normalize(z, dim=1)`"),
    ],
    "error_inplace_function": [
        ("error", "h.sum().backward()", "modified by an inplace operation",
         "`h = F.relu(h)`"),
    ],
    "error_inplace_function_of_torch": [
        ("error", "Net()(torch.randn(8, 4)).sum().backward()", "modified by an inplace operation",
         "relu_() changed `h` in place"),
    ],
    "error_frozen_but_for_an_unused_layer": [
        ("error", "loss.backward()", "element 0 of tensors does not require grad",
         "`model.classifier` can be trained, and forward() of Backbone does not call it"),
    ],
    "error_array_of_a_backward": [
        ("error", "Sine.apply(x).sum().backward()", "expected Variable or None (got ndarray)",
         "backward() of the Function Sine returns a NumPy array"),
    ],
    "no_activation": [
        ("no-activation", "return torch.sigmoid(self.second(h))",
         "`net.first` and `net.second`, two Linear layers, follow each other",
         "can do what a single one can"),
    ],
    "no_activation_behind_a_dropout": [
        ("no-activation", "loss = nn.functional.cross_entropy(net(x), "
         "x.flatten(1)[:, :3].argmax(1))", "`net.1` and `net.3`, two Linear layers",
         "nn.ReLU() in nn.Sequential"),
    ],
    "mean_and_sum": [
        ("mean-and-sum", "divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - "
         "log_var.exp())", "the error is the mean of 512 numbers", "reduction='sum' for the error"),
    ],
    "scaled_twice": [
        ("scaled-twice", "loss = nn.functional.cross_entropy(net(x), labels[batch])",
         "they were divided by 255 twice", "divide once"),
    ],
    "batches_in_part": [
        ("batches-in-part", "rows, wanted = x[i:i + batch_size], y[i:i + batch_size]",
         "batch `i` begins at row `i`, not at row `i * batch_size`",
         "`for i in range(0, len(x), batch_size):`"),
    ],
    "diverged_by_large_data": [
        ("nan-forward", "loss = nn.functional.mse_loss(net(x), y)", "mse_loss() made inf",
         "the data are as large as 3e+03"),
    ],
    "diverged_by_a_sum": [
        ("nan-forward", 'loss = nn.functional.mse_loss(net(x), y, reduction="sum")', "made inf",
         "the loss is the sum of 256 numbers"),
    ],
    "wrong_backward_of_a_mean": [
        ("wrong-backward", "return g * 2 * (output - target), None", "of the Function SquaredError",
         "it is 8 times too large: forward() takes a mean"),
    ],
    "error_comma_behind_a_loss": [
        ("error", "loss.backward()", "'tuple' object has no attribute 'backward'",
         "the comma at the end of the line makes a tuple of one of `loss`"),
    ],
    "wrong_backward_of_a_power": [
        ("wrong-backward", "return g * 3 * x", "backward() of the Function Cube",
         "compute the derivative of forward() anew"),
    ],
    "seeded_again_each_epoch": [
        ("seeded-again", "set_seed()", "3 times during the training",
         "the same order of the examples"),
    ],
    "lost_loss_of_an_entry": [
        ("lost-loss", "group['lr'] * 0.1", "computes a result that nothing uses",
         "`group['lr'] = group['lr'] * 0.1`"),
    ],
    "not_in_optimizer_drawn_in_forward": [
        ("not-in-optimizer", "self.query = nn.Parameter(torch.randn(self.dim) * 0.1)",
         "`net.query` got gradients", "make it in __init__()"),
    ],
    "nan_negative_difference": [
        ("nan-forward", "loss = ((pred - y) ** 1.5).mean()", "pow() made nan",
         "`(pred - y).abs() ** ...`"),
    ],
    "nan_logarithm_of_softmax": [
        ("nan-forward", "logp = torch.log(torch.softmax(net(x), dim=1))", "log() made inf",
         "F.log_softmax(scores, dim) in place of"),
    ],
    "nan_square_in_float16": [
        ("nan-forward", "loss = ((pred - y) ** 2).mean()", "pow() made inf",
         "compute this in float32"),
    ],
    "nan_negative_by_rounding": [
        ("nan-forward", "dist = dist2.sqrt()", "sqrt() made nan",
         "`dist2.clamp(min=1e-12)` in place"),
    ],
    "softmax_over_queries_of_einsum": [
        ("softmax-over-queries", "a = F.softmax(s, dim=1)", "goes over the last dimension but one",
         "the keys: `dim=-1`"),
    ],
    "growing_average": [
        ("growing", "smooth = loss if smooth is None else 0.9 * smooth + 0.1 * loss",
         "`smooth` holds them",
         "`smooth = loss.item() if smooth is None else 0.9 * smooth + 0.1 * loss.item()`"),
    ],
    "error_start_of_a_bias": [
        ("error", "nn.init.xavier_uniform_(p)", "Fan in and fan out", "`if p.dim() > 1:`"),
    ],
    "error_column_of_whole_probabilities": [
        ("error", "loss = crit(net(x), y)", "Target size", "`target.float().view_as(output)`"),
    ],
    "divided_twice": [
        ("divided-twice", "loss = self.criterion(out, y) / x.size(0)",
         "the mean over a batch of 16", "leave out `/ x.size(0)`"),
    ],
    "divided_twice_by_hand": [
        ("divided-twice", "loss = loss / batch_size", "the mean over a batch of 32",
         "leave out `/ batch_size`"),
    ],
    "cut_to_zero_pixels": [
        ("cut-to-zero", "img = images[i] // 255", "of all pixels below 255 it makes 0",
         "`images[i] / 255`"),
    ],
    "wrapped_around": [
        ("wrapped-around", "x = (imgs - 128).float() / 128", "bytes (uint8) are subtracted",
         "convert them first"),
    ],
    "returns_too_early": [
        ("returns-too-early", "return running / len(loader)", "ends it in its first turn",
         "`running` was to sum up all turns"),
    ],
    "made_anew_network": [
        ("made-anew", "net = Net()", "`net` is a new network in each turn",
         "once, before the loop"),
    ],
    "target_in_input_column": [
        ("target-in-input", "loss = nn.functional.cross_entropy(clf(X[b]), y[b])",
         "column 5 of what the network is given", "leave the column out"),
    ],
    "shuffled_alone_in_mixup": [
        ("shuffled-alone", "y = lam * y + (1 - lam) * y[torch.randperm(y.size(0))]",
         "are mixed in two orders", "one order for both"),
    ],
    "mixed_shares": [
        ("mixed-shares",
         "loss = (1 - lam) * F.cross_entropy(out, y) + lam * F.cross_entropy(out, y[perm])",
         "here the own target has the share `1 - lam`", "the same shares in both"),
    ],
    "compared_with_itself": [
        ("compared-with-itself", "loss = nn.functional.mse_loss(rec, rec)", "compared with itself",
         "give the target as the second one"),
    ],
    "nan_grown_from_layer_to_layer": [
        ("nan-forward", "loss = nn.functional.cross_entropy(net(x), y)", "addmm() made inf",
         "begin with smaller weights"),
    ],
    "ends_not_seen": [
        ("ends-not-seen", "target = rewards + 0.99 * q_target(nexts).max(1).values",
         "`dones` is read from the batch, and used nowhere", "(1 - dones)"),
    ],
}
